import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { expectFreshBuild } from '../support/built.js';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { root } from '../support/run.js';

test('the guide resends until it is certain, beyond the retries of one call', { timeout: 30_000 }, async () => {
  expectFreshBuild();
  const shown = codeBlocks(readGuides('how-to/never-lose-or-double')).find(({ code }) => code.includes('untilCertain'))?.code ?? '';
  const folder = await mkdtemp(join(root, 'test/.docs-'));
  try {
    const file = join(folder, 'until-certain.mjs');
    await writeFile(file, (await transform(shown, { loader: 'ts', format: 'esm' })).code);
    const { untilCertain } = await import(file);
    const gateway = createMockGateway({ validation: 'partial' });
    const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
    gateway.faults.add({ kind: 'connection-reset', when: 'after', times: 4 });
    const receipt = await untilCertain(client, client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' } }), 1);
    expect(receipt).toMatchObject({ outcome: 'already-recorded', reference: 'B-1' });
    expect([gateway.requests().length, gateway.reports().length]).toEqual([5, 1]);
    await expect(untilCertain(client, client.reportBetEvent({ bet_id: '', user: { user_id: 'U-1' } }), 1)).rejects.toMatchObject({ code: 'validation' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
