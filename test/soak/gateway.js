// The mock gateway of a licence on a socket. It loses a fifth of its answers after recording; its proxy breaks off
// others.
import { createMockGateway } from 'location-sdk/mock';
import { serve } from 'location-sdk/node';
import { startFront } from './front.js';
import { isDoubtful } from './reports.js';

/**
 * The faults with their probabilities. About a fifth of all requests is recorded while its answer is lost.
 * @type {readonly import('location-sdk/mock').FaultRule[]}
 */
const FAULTS = [
  { kind: 'connection-reset', when: 'before', probability: 0.02 },
  { kind: 'status', status: 500, when: 'before', probability: 0.02 },
  { kind: 'connection-reset', when: 'after', probability: 0.15 },
  { kind: 'half-body', when: 'after', probability: 0.06 },
  { kind: 'hang', when: 'after', probability: 0.02 },
  { kind: 'latency', when: 'after', probability: 0.5, delay: { uniform: [5, 120] } },
];
/** The operation that must have been accepted before. @type {ReadonlyMap<string | undefined, string>} */
const INITIATED = new Map([
  ['reportSettledBet', 'reportBetEvent'],
  ['reportSettledWithdrawal', 'reportWithdrawalEvent'],
]);
const LOST = ['connection-reset', 'half-body', 'hang'];

/**
 * @param {object} options
 * @param {number} options.seed
 * @param {import('./licences.js').Licence} options.licence
 * @param {import('./journal.js').Journal} options.journal
 * @param {Map<string, number>} options.applied How often a report was applied.
 * @param {Set<string>} options.early Settled reports that came before their initiated ones had been accepted, without
 * those whose initiated ones a person may have dismissed.
 * @param {import('./front.js').StatesOf} options.statesOf
 */
export async function startGateway({ seed, licence, journal, applied, early, statesOf }) {
  const { account, apiKey } = licence;
  const server = await serve(createMockGateway({ seed, apiKey }));
  const { gateway } = server;
  const front = await startFront({ url: server.url, seed, licence, journal, statesOf });
  let isBack = true;
  gateway.subscribe(({ environment, operation, reference, applied: isApplied }) => {
    const id = `${account}:${environment}:${operation}:${reference}`;
    if (isApplied) applied.set(id, (applied.get(id) ?? 0) + 1);
    isBack ||= isApplied;
    const initiated = INITIATED.get(operation);
    if (
      initiated &&
      !isDoubtful({ operation: initiated, reference: reference ?? '' }) &&
      !applied.has(`${account}:${environment}:${initiated}:${reference}`)
    )
      early.add(id);
  });
  for (const fault of FAULTS) gateway.faults.add({ times: null, ...fault });
  return {
    url: front.url,
    /** @param {import('./front.js').TurnedAway} answer */
    turnAway(answer) {
      const stop = front.turnAway(answer);
      return () => {
        stop();
        isBack = false;
      };
    },
    /** Whether it has recorded a report since it last refused all requests. */
    isBack: () => isBack,
    /** The recorded bodies, by the report's id in the outbox. */
    ledger: () =>
      new Map(
        /** @type {const} */ (['staging', 'production']).flatMap((environment) =>
          gateway
            .reports(environment)
            .map(({ operation, reference, body }) => [`${account}:${environment}:${operation}:${reference}`, body]),
        ),
      ),
    /** How many answers were lost after the report was recorded. */
    lost: () =>
      gateway.faults
        .list()
        .filter(({ kind, when }) => when === 'after' && LOST.includes(kind))
        .reduce((sum, { struck }) => sum + struck, front.lost()),
    async close() {
      front.close();
      await server.close();
    },
  };
}
