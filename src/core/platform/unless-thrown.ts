/** The value that is read. Undefined if reading it throws: a getter, a proxy or a parser of the user's. */
export const unlessThrown = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
