/** Only the file with the outbox in it has a use for the door. */
export const withDoor = <T>(client: T): T => client;
