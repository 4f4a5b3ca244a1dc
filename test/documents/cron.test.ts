import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { serve } from '../../src/entries/node.js';
import { createOutbox } from '../../src/entries/outbox.js';
import { openStore } from '../outbox/stores/sqlite/files.js';
import { expectFreshBuild } from '../support/built.js';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { betEvent, LOCATION } from '../support/factories.js';
import { root, runNode } from '../support/run.js';

/** On one machine, as the guide says: the store is a file. */
const reporting = (file: string) => `
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
export async function openOutbox() {
  const store = await sqliteStore({ file: ${JSON.stringify(file)} });
  return { outbox: createOutbox({ client: createClient(), store }), store };
}`;

test('the file for cron sends each report once over SQLite, also if two run at once', { timeout: 60_000 }, async () => {
  expectFreshBuild();
  const server = await serve();
  // Inside the package, so that it finds itself by its name.
  const folder = await mkdtemp(join(root, 'test/.cron-'));
  try {
    const file = join(folder, 'reports.db');
    for (const { code } of codeBlocks(readGuides('how-to/deploy'))) {
      const [, name] = /^\/\/ (\S+\.mjs)\n/.exec(code) ?? [];
      if (name) await writeFile(join(folder, name), code);
    }
    await writeFile(join(folder, 'reporting.mjs'), reporting(file));
    const store = await openStore(file);
    const gateways = { staging: { baseUrl: server.url, apiKey: 'mock-api-key' } };
    const outbox = createOutbox({ client: createClient({ gateways }), store });
    const bets = ['B-1', 'B-2', 'B-3'];
    for (const bet_id of bets) await outbox.reportBetEvent(betEvent({ bet_id }), { location: LOCATION });
    await store.close?.();

    const variables = { LOCATION_SDK_STAGING_BASE_URL: server.url, LOCATION_SDK_STAGING_API_KEY: 'mock-api-key' };
    const cron = () => runNode([join(folder, 'cron.mjs')], variables);
    for (const { code, output } of await Promise.all([cron(), cron()]))
      expect([code, output]).toEqual([0, expect.stringContaining('{ drained: true, waiting: 0 }')]);
    const recorded = server.gateway.reports().map(({ reference }) => reference);
    expect(recorded.sort()).toEqual(bets);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});
