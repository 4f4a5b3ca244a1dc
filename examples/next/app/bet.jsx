'use client';
import { useBet } from './use-bet.js';

/** Places a bet with the own backend. Sent again with the same key, it is the same bet. */
async function place(key) {
  const placed = await fetch('/bets', { method: 'POST', headers: { 'idempotency-key': key } });
  if (!placed.ok) throw new Error('The bet was not placed.');
  return placed.json();
}

/** What a player reads. */
function wordsFor({ busy, receipt, error, askAgain, isLocationMissing }) {
  if (busy) return 'One moment …';
  if (receipt) return `Your bet is ${receipt.outcome}.`;
  if (askAgain) return 'We are not sure yet. Asking again cannot count the bet twice.';
  if (isLocationMissing) return 'We could not tell where you are. Allow your location for this site, and bet again.';
  if (error?.code === 'duplicate') return 'We have to check this bet. Look into your history, or ask the support.';
  return error ? 'Your bet is not taken. Try again in a moment.' : '';
}

export function Bet() {
  const { bet, ...state } = useBet(place);
  return (
    <section>
      <p>Each bet is reported with the place it was made from, so your browser may ask for your location.</p>
      <button type="button" disabled={state.busy} onClick={state.askAgain || bet}>
        {state.askAgain ? 'Ask again' : 'Bet ₦1,500'}
      </button>
      <p role="status">{wordsFor(state)}</p>
    </section>
  );
}
