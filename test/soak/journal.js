// The gateways' own records of the requests at their sockets: account, key and bytes. They use nothing of this package.
import { hashOf, isDoubtful, markOf } from './reports.js';

/** The operation and the field of its reference, by the last part of the path. */
const CALLS = new Map([
  ['report-bet-event', { operation: 'reportBetEvent', field: 'bet_id' }],
  ['report-settled-bet-event', { operation: 'reportSettledBet', field: 'bet_id' }],
  ['report-withdrawal-event', { operation: 'reportWithdrawalEvent', field: 'request_id' }],
  ['settle-withdrawal', { operation: 'reportSettledWithdrawal', field: 'request_id' }],
]);

/** @typedef {ReturnType<typeof createJournal>} Journal */
/** Shared by all gateways. Reports are named by their id in the outbox. */
export function createJournal() {
  /** The hash of the first bytes. @type {Map<string, string>} */
  const hashes = new Map();
  /** The last amounts. @type {Map<string, number>} */
  const amounts = new Map();
  /** Reports that a gateway refused because of their content. @type {Set<string>} */
  const refused = new Set();
  /** Requests that a gateway must never receive. @type {Set<string>} */
  const wrong = new Set();
  /** The number of each kind of fault. @type {Map<string, number>} */
  const struck = new Map();
  return {
    hashes,
    refused,
    wrong,
    struck,
    strike: (/** @type {string} */ trouble) => void struck.set(trouble, (struck.get(trouble) ?? 0) + 1),

    /**
     * Records a request, and returns the report's id.
     * @param {{ account: string, apiKey: string }} licence The gateway's licence.
     * @param {import('node:http').IncomingMessage} request
     * @param {Buffer} bytes
     */
    arrived({ account, apiKey }, { url = '', headers }, bytes) {
      const { operation = 'an unknown operation', field = '' } = CALLS.get(url.split('/').at(-1) ?? '') ?? {};
      const body = JSON.parse(bytes.toString());
      const id = `${account}:staging:${operation}:${body[field]}`;
      const hash = hashOf(bytes);
      if (headers['x-api-key'] !== apiKey) wrong.add(`${id} came with a key of another account`);
      if (!String(body.user?.user_id).startsWith(markOf(account)))
        wrong.add(`${id}: a report of another account came to the gateway of ${account}`);
      const report = { id, operation, reference: String(body[field]), amount: Number(body.amount) };
      const isReplaced = isDoubtful(report) && report.amount > (amounts.get(id) ?? 0);
      if ((hashes.get(id) ?? hash) !== hash && !isReplaced) wrong.add(`${id} came with other bytes than before`);
      hashes.set(id, hash);
      amounts.set(id, report.amount);
      return report;
    },
  };
}
