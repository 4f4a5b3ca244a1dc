import type { Clock } from '../platform/time.js';
import { operations } from '../protocol/operations.js';
import { RELAY_HEADER } from '../protocol/player-header.js';
import { type Channel, OF_ANOTHER_CLIENT } from './channel.js';
import { pageHidden } from './leaving-page.js';
import { readRelayAnswer } from './relay-answer.js';
import type { Relay } from './settings.js';

/** The page's own path has no host. */
const NO_PAGE = 'this ran on a server during rendering: call it in the browser (an effect, an event handler). Nothing was sent.';

/** The operator's own backend, which holds the key. */
export const relayChannel = ({ resolve, credentials }: Relay, settings: { readonly inPage: boolean; readonly clock: Clock }): Channel => ({
  kind: 'relay',
  addresses: { relay: resolve().baseUrl },
  problem() {
    const { baseUrl, problem = NO_PAGE } = resolve();
    return baseUrl === undefined ? problem : undefined;
  },
  open({ operation, environment }, more) {
    if (environment) return OF_ANOTHER_CLIENT;
    const { baseUrl, problem = NO_PAGE } = resolve();
    if (baseUrl === undefined) return problem;
    const url = `${baseUrl}/${operations[operation].path}`;
    // The first header makes a browser send a preflight if the page is of another origin.
    const headers = { [RELAY_HEADER]: '1', ...more };
    /** The page is being left, so the next attempt is the last one. */
    let leaving = false;
    /** Other scripts share the limit for requests that outlive a page, and a browser does not say when it is reached. */
    let mayLackRoom = false;
    let keepalive = true;
    return {
      by: 'relay',
      secrets: new Set(),
      async request(body) {
        keepalive = leaving || !mayLackRoom;
        return { url, headers, body, credentials, keepalive };
      },
      read(attempted, context) {
        mayLackRoom = keepalive && attempted.ended === 'broken';
        return readRelayAnswer(attempted, context, settings);
      },
      async hurry(signal) {
        leaving = false;
        await pageHidden(signal);
        leaving = true;
      },
    };
  },
});
