import { createClient, isReportingError } from 'location-sdk/page';
import { useRef, useState } from 'react';

let onEvent = () => {};
const client = createClient({ relayUrl: '/relay', onEvent: (event) => onEvent(event) });

/**
 * One bet at a time: `busy`, `asked` while the browser asks the player, a `receipt` or an `error`, and `askAgain` if
 * the report is in doubt.
 */
export function useBet(/** @type {(key: string) => Promise<{ bet_id: string }>} */ place) {
  const [state, setState] = useState({});
  const now = useRef({ isBusy: false, key: '' });

  async function run(send) {
    if (now.current.isBusy) return;
    now.current.isBusy = true;
    setState((before) => ({ askAgain: before.askAgain, busy: true }));
    onEvent = ({ type, permission }) =>
      setState((before) => ({ ...before, asked: type === 'location-asked' && permission === 'prompt' }));
    try {
      setState({ receipt: await send() });
      now.current.key = ''; // the next bet has another key
    } catch (error) {
      console.error(error.message); // for you: it says what to do, and contains no personal data
      const inDoubt = isReportingError(error) && error.outcome === 'unknown' && error.code !== 'duplicate';
      if (error.code === 'duplicate' || (error.outcome === 'rejected' && !error.retryable)) now.current.key = '';
      setState({ error, askAgain: inDoubt && (() => run(() => client.resend(error))) });
    }
    onEvent = () => {};
    now.current.isBusy = false;
  }

  // The key stays until the bet is over: pressing again does not place a second one.
  const key = () => (now.current.key ||= crypto.randomUUID());
  return { ...state, bet: () => run(async () => client.reportBetEvent(await place(key()))) };
}
