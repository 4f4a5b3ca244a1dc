import { isReportingError, playerMessage } from 'location-sdk/page';
import { useBet } from './use-bet.js';

/** Places a bet with your own backend. A repeated request with the same key is the same bet. */
async function place(key) {
  const headers = { 'idempotency-key': key };
  const placed = await fetch('/bets', { method: 'POST', headers, signal: AbortSignal.timeout(20_000) });
  if (!placed.ok) throw new Error('The bet was not placed.');
  return placed.json();
}

/** The text for the player. */
function wordsFor({ asked, busy, receipt, error }) {
  if (asked) return 'Please answer your browser’s question about your location.';
  if (busy) return 'One moment …';
  if (receipt) return 'Your bet is recorded.';
  if (!error) return '';
  return isReportingError(error) ? playerMessage(error).text : 'Your bet was not placed. Try again in a moment.';
}

export function Bet() {
  const { bet, ...state } = useBet(place);
  return (
    <section>
      <p>Each bet is reported with the place it was made from, so your browser may ask for your location.</p>
      <button type="button" aria-disabled={state.busy} onClick={state.askAgain || bet}>
        {state.askAgain ? 'Ask again' : 'Bet ₦1,500'}
      </button>
      <p role="status">{wordsFor(state)}</p>
    </section>
  );
}
