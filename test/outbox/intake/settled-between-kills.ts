import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { buildCli } from '../../support/built-cli.js';
import { settledWithdrawal, withdrawalEvent } from '../../support/factories.js';

const SCRIPT = fileURLToPath(new URL('one-call.js', import.meta.url));
/** The location of each withdrawal. Its numbers are changed by any rounding. */
const LOCATIONS = {
  'W-1': { latitude: 6.440000000000001, longitude: 7.5, accuracy: 0, city: 'Enugu', source: 'gps' },
  'W-2': { latitude: -0.1, longitude: 3.3999999999999995, region: 'LA', country: 'NG', source: 'client_ip' },
} as const;
type Reference = keyof typeof LOCATIONS;

interface Held {
  readonly operation: string;
  readonly reference: string;
  readonly body: { readonly location: unknown };
}

/**
 * Processes of a service on one store, each of which is killed: one enqueues a withdrawal, one is the worker, one settles
 * the withdrawal without its receipt, and one reads receipts. The first withdrawal is settled while it is in flight, the
 * second one after it was recorded and its body was deleted.
 */
export async function settleBetweenKills(place: string, schema?: string): Promise<void> {
  const cli = await buildCli();
  const children = new Set<ChildProcess>();
  try {
    const { url } = await cli.mock();
    const faults = `${url}/__admin/faults`;

    async function start(call?: readonly [method: string, ...args: unknown[]]) {
      const child = fork(SCRIPT, [JSON.stringify({ baseUrl: url, place, schema, call })]);
      children.add(child);
      const ended = once(child, 'exit').then(() => {
        children.delete(child);
        throw new Error('A process ended by itself; its error is above.');
      });
      const [told] = await Promise.race([once(child, 'message'), ended]);
      return { child, told };
    }

    async function kill(child: ChildProcess): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
    }

    /** The result of a method in a process of its own, which is killed after it. */
    async function callAndDie(method: string, ...args: readonly unknown[]) {
      const { child, told } = await start([method, ...args]);
      await kill(child);
      return told;
    }

    const settle = async (request_id: Reference) =>
      expect(await callAndDie('reportSettledWithdrawal', settledWithdrawal({ request_id }))).toMatchObject({
        id: `default:staging:reportSettledWithdrawal:${request_id}`,
      });
    const receiptOf = (operation: string, reference: Reference) => callAndDie('receipt', { operation, reference });
    const held = async (): Promise<Held[]> =>
      (await (await fetch(`${url}/__admin/reports?reveal=true`)).json()).reports;

    /** Kills a worker while it waits for answers. The gateway has recorded `count` reports, and their rows are in flight. */
    async function killWorkerInFlight(count: number): Promise<void> {
      await fetch(faults, { method: 'POST', body: JSON.stringify({ kind: 'hang', when: 'after', times: null }) });
      const { child } = await start();
      await expect.poll(async () => (await held()).length).toBe(count);
      await kill(child);
      await fetch(faults, { method: 'DELETE' });
    }

    for (const [request_id, location] of Object.entries(LOCATIONS))
      expect(await callAndDie('reportWithdrawalEvent', withdrawalEvent({ request_id }), { location })).toEqual({
        id: `default:staging:reportWithdrawalEvent:${request_id}`,
        state: 'waiting',
      });
    await killWorkerInFlight(2);
    expect(await receiptOf('reportWithdrawalEvent', 'W-1')).toBe(null);
    await settle('W-1');

    const { child: second } = await start();
    const patience = { interval: 200, timeout: 30_000 };
    await expect
      .poll(() => receiptOf('reportSettledWithdrawal', 'W-1'), patience)
      .toMatchObject({ outcome: 'recorded' });
    await expect.poll(() => receiptOf('reportWithdrawalEvent', 'W-2'), patience).not.toBe(null);
    await kill(second);
    await settle('W-2');
    await killWorkerInFlight(4);
    expect(await receiptOf('reportSettledWithdrawal', 'W-2')).toBe(null);
    await start();
    await expect.poll(() => receiptOf('reportSettledWithdrawal', 'W-2'), patience).not.toBe(null);

    const reports = await held();
    expect(reports.map(({ operation, reference, body }) => [operation, reference, body.location]).sort()).toEqual([
      ['reportSettledWithdrawal', 'W-1', LOCATIONS['W-1']],
      ['reportSettledWithdrawal', 'W-2', LOCATIONS['W-2']],
      ['reportWithdrawalEvent', 'W-1', LOCATIONS['W-1']],
      ['reportWithdrawalEvent', 'W-2', LOCATIONS['W-2']],
    ]);
    // The outcome of each report whose answer was lost with its worker.
    const repeated = { outcome: 'already-recorded', environment: 'staging' };
    for (const [operation, reference, expected] of [
      ['reportWithdrawalEvent', 'W-1', repeated],
      ['reportWithdrawalEvent', 'W-2', repeated],
      ['reportSettledWithdrawal', 'W-1', { outcome: 'recorded' }],
      ['reportSettledWithdrawal', 'W-2', repeated],
    ] as const)
      expect(await receiptOf(operation, reference)).toMatchObject({
        ...expected,
        operation,
        reference,
        location: LOCATIONS[reference],
      });
    await expect.poll(() => callAndDie('receiptHead'), patience).toMatchObject({ count: 4 });
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await cli.remove();
  }
}
