/** The header by which the relay knows whose report it is: it takes it in no other player's session (our decision). */
export const PLAYER_HEADER = 'x-location-sdk-player';
