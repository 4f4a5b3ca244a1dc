import { locate } from 'location-sdk/page';

/** The keys of bets that are not placed yet. Without storage they last until a reload. */
let keys = {};
try {
  keys = localStorage;
} catch {}

/**
 * Posts a bet to your own `/bets`, with the position. The same bet has the same key until it is placed, so it is one
 * bet, however often the player presses. Resolves with the words for the player, and with whether the bet is placed.
 */
export async function placeBet(/** @type {{ stake: number }} */ bet) {
  const id = JSON.stringify(bet);
  const key = keys[id] || String(crypto.getRandomValues(new Uint32Array(4)));
  keys[id] = key;
  const location = await locate().catch(() => undefined);
  // Meanwhile another tab may have written its key for the same bet, or placed the bet and deleted the key.
  const body = JSON.stringify({ ...bet, key: keys[id] || key, location });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch('/bets', { method: 'POST', headers, body })
    .then((response) => response.json())
    .catch(() => undefined);
  const isPlaced = Boolean(answer?.bet_id);
  if (isPlaced) delete keys[id];
  return { isPlaced, words: answer?.message || 'No answer came. Press again: it is one bet.' };
}
