// The mock gateway of the soak on a socket, made to lose a fifth of its answers after it has recorded, and to break off others.
import { createMockGateway } from 'location-sdk/mock';
import { serve } from 'location-sdk/mock/node';
import { startBreaking } from './breaking.js';

/** What goes wrong, each by its chance. Of all requests, about a fifth is recorded while its answer is lost. */
const FAULTS = [
  { kind: 'connection-reset', when: 'before', probability: 0.02 },
  { kind: 'status', status: 500, when: 'before', probability: 0.02 },
  { kind: 'connection-reset', when: 'after', probability: 0.15 },
  { kind: 'half-body', when: 'after', probability: 0.06 },
  { kind: 'hang', when: 'after', probability: 0.02 },
  { kind: 'latency', when: 'after', probability: 0.5, delay: { uniform: [5, 120] } },
];
/** What must have been accepted before. @type {ReadonlyMap<string | undefined, string>} */
const INITIATED = new Map([
  ['reportSettledBet', 'reportBetEvent'],
  ['reportSettledWithdrawal', 'reportWithdrawalEvent'],
]);
const LOST = ['connection-reset', 'half-body', 'hang'];

/** What gateways found out together. */
export const createFindings = () => ({
  /** How often a report was applied, by the id that it has in the outbox. @type {Map<string, number>} */
  applied: new Map(),
  /** Settled reports that came before their initiated ones had been accepted. @type {Set<string>} */
  early: new Set(),
});

/** The gateway of an account. @param {number} seed */
export async function startGateway(seed, account = 'default', { applied, early } = createFindings()) {
  const server = await serve(createMockGateway({ seed }));
  const breaking = await startBreaking(server.url, seed);
  server.gateway.subscribe(({ environment, operation, reference, applied: isApplied }) => {
    const id = `${account}:${environment}:${operation}:${reference}`;
    if (isApplied) applied.set(id, (applied.get(id) ?? 0) + 1);
    const initiated = INITIATED.get(operation);
    if (initiated && !applied.has(`${account}:${environment}:${initiated}:${reference}`)) early.add(id);
  });
  for (const fault of FAULTS) {
    const body = JSON.stringify({ times: null, ...fault });
    const { status } = await fetch(`${server.url}/__admin/faults`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    if (status !== 201) throw new Error(`the fault ${fault.kind} was refused: ${status}`);
  }
  return {
    url: breaking.url,
    applied,
    early,
    /** What is recorded: the body by the id that the report has in the outbox. */
    ledger: () =>
      new Map(
        /** @type {const} */ (['staging', 'production']).flatMap((environment) =>
          server.gateway.reports(environment).map(({ operation, reference, body }) => [`${account}:${environment}:${operation}:${reference}`, body]),
        ),
      ),
    /** Answers so to every request, until the returned function is called. @param {import('location-sdk/mock').FaultRule} rule */
    misbehave(rule) {
      const id = server.gateway.faults.add({ times: null, ...rule });
      return () => server.gateway.faults.clear(id);
    },
    /** How many answers were lost after the report was recorded. */
    lost: () =>
      server.gateway.faults
        .list()
        .filter(({ kind, when }) => when === 'after' && LOST.includes(kind))
        .reduce((sum, { struck }) => sum + struck, breaking.lost()),
    async close() {
      breaking.close();
      await server.close();
    },
  };
}
