import { createClient, isLocationError, isReportingError } from 'location-sdk/page';
import { useRef, useState } from 'react';

const client = createClient({ relayUrl: '/relay' });

/** One bet at a time: `busy`, a `receipt` or an `error`, `askAgain` where the report is in doubt, and whether no location was found. */
export function useBet(/** @type {(key: string) => Promise<{ bet_id: string }>} */ place) {
  const [state, setState] = useState({});
  const now = useRef({ isBusy: false, key: '' });

  async function run(send) {
    if (now.current.isBusy) return;
    now.current.isBusy = true;
    setState((before) => ({ askAgain: before.askAgain, busy: true }));
    try {
      setState({ receipt: await send() });
      now.current.key = ''; // the next bet is another one
    } catch (error) {
      const inDoubt = isReportingError(error) && error.outcome === 'unknown' && error.code !== 'duplicate';
      if (error.code === 'duplicate' || (error.outcome === 'rejected' && !error.retryable)) now.current.key = '';
      setState({ error, isLocationMissing: isLocationError(error), askAgain: inDoubt && (() => run(() => client.resend(error))) });
    }
    now.current.isBusy = false;
  }

  // The key stays until the bet is over: pressing again places no second one.
  const key = () => (now.current.key ||= crypto.randomUUID());
  return { ...state, bet: () => run(async () => client.reportBetEvent(await place(key()))) };
}
