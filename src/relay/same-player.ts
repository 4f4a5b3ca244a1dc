import { playerTag } from '../platform/hash.js';
import { PLAYER_HEADER } from '../protocol/player-header.js';
import { refusals, refuse } from './answers.js';
import type { RelayPlayer } from './options.js';

/**
 * Refuses a report that a page's outbox kept from another player's session: the player who is logged in now would be
 * named in it. A page without an outbox sends no header, since its reports do not outlive its session.
 */
export async function requireSamePlayer(request: Request, { outboxPlayer }: RelayPlayer, { user_id }: Record<string, unknown>): Promise<void> {
  const tag = request.headers.get(PLAYER_HEADER);
  if (tag !== null && tag !== (await playerTag(String(outboxPlayer ?? user_id)))) refuse(refusals.otherPlayer);
}
