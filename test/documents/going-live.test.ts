import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutboxStats } from '../../src/entries/outbox.js';
import { root } from '../support/run.js';

interface Guide {
  watch(
    outbox: { stats(): Promise<OutboxStats> },
    wake: (text: string) => void,
    tell: (text: string) => void,
  ): Promise<void>;
}

let folder: string;
let guide: Guide;

/** The function that the guide names, unchanged. */
beforeAll(async () => {
  folder = await mkdtemp(join(root, 'test/.docs-'));
  const shown = await readFile(join(root, 'examples/watch.ts'), 'utf8');
  await writeFile(join(folder, 'watch.js'), (await transform(shown, { loader: 'ts', format: 'esm' })).code);
  guide = (await import(join(folder, 'watch.js'))) as Guide;
}, 30_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const HOUR_MS = 3_600_000;
const healthy: OutboxStats = {
  states: { waiting: 3, blocked: 0, 'in-flight': 1, recorded: 90, quarantined: 0, dismissed: 0 },
  oldestOpenAt: undefined,
  attempts: 94,
  missingKeys: [],
  paused: [],
};
const paused = (reason: OutboxStats['paused'][number]['reason']): Partial<OutboxStats> => ({
  oldestOpenAt: Date.now() - 1_000,
  paused: [{ account: 'default', environment: 'production', reason, message: 'HTTP 401', since: 0, until: 0 }],
});

/** The alerts of the guide's function: "now" wakes a person, "today" reaches one within the day. */
async function alerts(changes: Partial<OutboxStats>): Promise<string[]> {
  const heard: string[] = [];
  const stats = async () => ({ ...healthy, ...changes });
  await guide.watch(
    { stats },
    (text) => heard.push(`now: ${text}`),
    (text) => heard.push(`today: ${text}`),
  );
  return heard;
}

describe('the function that watches an outbox', () => {
  test('is silent while all is well', async () => {
    expect(await alerts({})).toEqual([]);
    expect(await alerts({ oldestOpenAt: Date.now() - HOUR_MS / 2 })).toEqual([]);
    expect(await alerts({ ...paused('refusals'), oldestOpenAt: undefined })).toEqual([]);
  });

  test.each<[string, () => Partial<OutboxStats>, string]>([
    [
      'a report that waits for more than an hour',
      () => ({ oldestOpenAt: Date.now() - HOUR_MS - 1_000 }),
      'now: the oldest report waits for more than an hour',
    ],
    [
      'a quarantined report',
      () => ({ states: { ...healthy.states, quarantined: 1 } }),
      'today: 1 reports need a person',
    ],
    [
      '20 quarantined reports',
      () => ({ states: { ...healthy.states, quarantined: 20 } }),
      'today: 20 reports need a person',
    ],
    [
      'more than 20 quarantined reports',
      () => ({ states: { ...healthy.states, quarantined: 21 } }),
      'now: 21 reports need a person',
    ],
    ['a missing key', () => ({ missingKeys: ['2026-08'] }), 'today: the key 2026-08 is missing'],
    ...(['authentication', 'address', 'configuration', 'refusals'] as const).map(
      (reason): [string, () => Partial<OutboxStats>, string] => [
        `a pause for ${reason}`,
        () => paused(reason),
        `now: nothing is sent to production: ${reason}`,
      ],
    ),
    ...(['rate-limited', 'unavailable', 'unreachable'] as const).map(
      (reason): [string, () => Partial<OutboxStats>, string] => [
        `a pause for ${reason}`,
        () => paused(reason),
        `today: nothing is sent to production: ${reason}`,
      ],
    ),
  ])('reports %s', async (_, changes, said) => {
    expect(await alerts(changes())).toEqual([said]);
  });
});
