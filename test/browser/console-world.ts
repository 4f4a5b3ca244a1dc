import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Fetch } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { toNodeHandler } from '../../src/entries/node.js';
import { createOutbox, type OutboxStore } from '../../src/entries/outbox.js';
import { type ConsoleVisitor, createConsole } from '../../src/entries/outbox-console.js';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { openSqlite } from '../outbox/stores/sqlite/files.js';
import { betEvent } from '../support/factories.js';

const REFUSAL = JSON.stringify({ message: 'amount must be a number', error: 'Unprocessable Entity', statusCode: 422 });

/**
 * An outbox before a gateway that can be spoilt by a deploy, with its console on a socket. Its store is a SQLite file,
 * unless another one is given.
 */
export async function consoleWorld(
  openStore: (folder: string) => Promise<OutboxStore> = (folder) => sqliteStore({ file: join(folder, 'reports.db') }),
) {
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-console-'));
  const gateway = createMockGateway();
  /** The gateway's answer after a wrong deploy. */
  let answer: string | undefined;
  let isLosing = false;
  const record: Fetch = async (url, init) => {
    const recorded = await gateway.fetch(url, init as object);
    if (isLosing) loseRow(JSON.parse(String(init?.body)).bet_id);
    return recorded;
  };
  const fetch: Fetch = (url, init) =>
    answer === undefined
      ? record(url, init)
      : Promise.resolve(new Response(answer, { status: 422, headers: { 'content-type': 'application/json' } }));
  /** A standby takes over that does not have this report. */
  function loseRow(reference: string): void {
    const other = openSqlite(join(folder, 'reports.db'));
    other.exec(`DELETE FROM outbox_rows WHERE reference = '${reference}'`);
    other.close();
  }
  const client = createClient({ ...gateway.clientOptions(), fetch, logger: {} });
  const store = await openStore(folder);
  // The circuit breaker would keep most of them from being quarantined.
  const outbox = createOutbox({ client, store, breakerAfter: 1_000_000, pollMs: 100, retry: { baseMs: 1 } });

  let visitor: ConsoleVisitor = { name: 'ada@example.com', mayAct: true, mayReadBodies: true };
  const handle = toNodeHandler(createConsole({ outbox, authorize: () => visitor, logger: {} }));
  const server = createServer(handle);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  let reports = 0;

  return {
    url: `http://127.0.0.1:${port}/ops/outbox`,
    outbox,
    gateway,
    /** Reports bets, of which the gateway refuses each with these words, or none. */
    async report(
      count: number,
      { refusedWith, name = 'BET' }: { refusedWith?: string; name?: string } = {},
    ): Promise<void> {
      const ids = Array.from({ length: count }, (_, index) => `${name}-${reports + index + 1}`);
      reports += count;
      answer = refusedWith === undefined ? undefined : REFUSAL.replace('amount must be a number', refusedWith);
      await outbox.reportAll(ids.map((bet_id) => ({ operation: 'reportBetEvent', payload: betEvent({ bet_id }) })));
      await outbox.drain();
      answer = undefined;
    },
    /** Reports a bet that the gateway records and the database loses. Its store is a SQLite file. */
    async loseCommit(): Promise<void> {
      isLosing = true;
      await outbox.reportBetEvent(betEvent({ bet_id: 'LOST-1' }));
      await outbox.drain();
      isLosing = false;
    },
    be: (who: ConsoleVisitor) => {
      visitor = who;
    },
    /** The server goes away, and comes back at the same address. */
    async lose(): Promise<() => Promise<void>> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      return async () => {
        if (!server.listening) await listen(port);
      };
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await outbox.stop();
      await store.close?.();
      rmSync(folder, { recursive: true });
    },
  };
}

export type ConsoleWorld = Awaited<ReturnType<typeof consoleWorld>>;
