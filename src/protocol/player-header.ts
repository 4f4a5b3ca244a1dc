/** The header that names the report's player to the relay. The relay accepts the report only in that player's session (our decision). */
export const PLAYER_HEADER = 'x-location-sdk-player';
