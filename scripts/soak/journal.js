// The gateways' own books of what arrived at their sockets: whose report, with which key, in which bytes. They use nothing of this package.
import { hashOf, markOf } from './reports.js';

/** The operation and the field of its reference, by the last part of the path. */
const CALLS = new Map([
  ['report-bet-event', { operation: 'reportBetEvent', field: 'bet_id' }],
  ['report-settled-bet-event', { operation: 'reportSettledBet', field: 'bet_id' }],
  ['report-withdrawal-event', { operation: 'reportWithdrawalEvent', field: 'request_id' }],
  ['settle-withdrawal', { operation: 'reportSettledWithdrawal', field: 'request_id' }],
]);

/** @typedef {ReturnType<typeof createJournal>} Journal */
/** Of all gateways together. Reports are named by the id that they have in the outbox. */
export function createJournal() {
  /** The hash of the bytes that came first. @type {Map<string, string>} */
  const hashes = new Map();
  /** Reports that a gateway refused for what is in them. @type {Set<string>} */
  const refused = new Set();
  /** What no gateway may ever see. @type {Set<string>} */
  const wrong = new Set();
  /** How often each kind of trouble struck. @type {Map<string, number>} */
  const struck = new Map();
  return {
    hashes,
    refused,
    wrong,
    struck,
    strike: (/** @type {string} */ trouble) => void struck.set(trouble, (struck.get(trouble) ?? 0) + 1),

    /**
     * Writes down a request, and says which report it is.
     *
     * @param {{ account: string, apiKey: string }} licence Whose gateway it is. @param {import('node:http').IncomingMessage} request @param {Buffer} bytes
     */
    arrived({ account, apiKey }, { url = '', headers }, bytes) {
      const { operation = 'an unknown operation', field = '' } = CALLS.get(url.split('/').at(-1) ?? '') ?? {};
      const body = JSON.parse(bytes.toString());
      const id = `${account}:staging:${operation}:${body[field]}`;
      const hash = hashOf(bytes);
      if (headers['x-api-key'] !== apiKey) wrong.add(`${id} came with a key that is not of its account`);
      if (!String(body.user?.user_id).startsWith(markOf(account))) wrong.add(`${id}: a report of another account came to the gateway of ${account}`);
      if ((hashes.get(id) ?? hash) !== hash) wrong.add(`${id} came with other bytes than before`);
      hashes.set(id, hash);
      return { id, operation, reference: String(body[field]) };
    },
  };
}
