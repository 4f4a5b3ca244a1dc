import { createClient, isReportingError, playerMessage } from 'location-sdk/page';
import { useRef, useState } from 'react';

let onEvent = () => {};
const client = createClient({ relayUrl: '/relay', onEvent: (event) => onEvent(event) });

/**
 * One bet at a time: `busy`, `asked` while the browser asks the player, a `receipt` or an `error`, and `askAgain` if
 * the report is in doubt.
 */
export function useBet(/** @type {(key: string) => Promise<{ bet_id: string }>} */ place) {
  const [state, setState] = useState({});
  const isBusy = useRef(false);

  async function run(send) {
    if (isBusy.current) return;
    isBusy.current = true;
    setState((before) => ({ askAgain: before.askAgain, busy: true }));
    onEvent = ({ type, permission }) =>
      setState((before) => ({ ...before, asked: type === 'location-asked' && permission === 'prompt' }));
    try {
      setState({ receipt: await send() });
      delete sessionStorage.bet; // the next bet has another key
    } catch (error) {
      console.error(error.message); // for you: it says what to do, and contains no personal data
      const { isOver } = playerMessage(error); // the gateway has a report of this bet
      if (isOver) delete sessionStorage.bet;
      const inDoubt = !isOver && isReportingError(error) && error.outcome === 'unknown';
      setState({ error, askAgain: inDoubt && (() => run(() => client.resend(error))) });
    }
    onEvent = () => {};
    isBusy.current = false;
  }

  async function placeAndReport() {
    // The key stays until the bet is over, after a reload too: pressing again does not place a second one.
    sessionStorage.bet ??= crypto.randomUUID();
    return client.reportBetEvent(await place(sessionStorage.bet));
  }
  return { ...state, bet: () => run(placeAndReport) };
}
