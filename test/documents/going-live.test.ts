import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Outbox, OutboxEvents, OutboxStats } from '../../src/entries/outbox.js';
import { memoryStore } from '../../src/entries/outbox.js';
import { outboxWorld } from '../outbox/world.js';
import { betEvent } from '../support/factories.js';
import { FakeClock } from '../support/fake-clock.js';
import { root } from '../support/run.js';

type Watched = Pick<Outbox, 'stats' | 'iterate' | 'on'>;

interface Guide {
  watch(outbox: Watched, wake: (text: string) => void, tell: (text: string) => void): () => Promise<void>;
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
  refused: 0,
  oldestOpenAt: undefined,
  attempts: 94,
  missingKeys: [],
  paused: [],
  destinations: [{ account: 'default', environment: 'production', isPending: true }],
};
const paused = (reason: OutboxStats['paused'][number]['reason']): Partial<OutboxStats> => ({
  oldestOpenAt: Date.now() - 1_000,
  paused: [
    { account: 'default', environment: 'production', reason, message: 'HTTP 401', triedAt: 0, since: 0, until: 0 },
  ],
});

/** Looks at an outbox, and returns what it heard: "now" wakes a person, "today" reaches one within the day. */
function watching(outbox: Watched) {
  const heard: string[] = [];
  const look = guide.watch(
    outbox,
    (text) => heard.push(`now: ${text}`),
    (text) => heard.push(`today: ${text}`),
  );
  return async () => {
    await look();
    return heard.splice(0);
  };
}

const none: Outbox['iterate'] = async function* () {};

/** The alerts of the first look, if every later look is silent. */
async function alerts(changes: Partial<OutboxStats>): Promise<string[]> {
  const stats = { ...healthy, ...changes };
  const { outbox } = outboxWorld();
  const reports = Array.from({ length: stats.states.quarantined }, (_, index) => ({ id: `id-${index}` }));
  const iterate = async function* () {
    yield* reports as Awaited<ReturnType<Outbox['list']>>;
  };
  const look = watching({
    stats: async () => stats,
    iterate,
    on: outbox.on,
  });
  const heard = await look();
  expect(await look()).toEqual([]);
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

  test('calls once for each pause of a real outbox, and again for the next one', async () => {
    const { outbox, gateway, run, clock } = outboxWorld({ clock: new FakeClock(Date.now()) });
    const look = watching(outbox);
    expect(await look()).toEqual([]);
    for (const bet_id of ['B-1', 'B-2']) {
      gateway.faults.add({ kind: 'status', status: 401, times: 1_000 });
      await run(outbox.reportBetEvent(betEvent({ bet_id })));
      await run(outbox.drain({ timeoutMs: 200_000 }));
      expect([bet_id, await look(), await look()]).toEqual([
        bet_id,
        ['now: nothing is sent to staging: authentication'],
        [],
      ]);
      gateway.faults.clear();
      clock.advance(60_000);
      await run(outbox.drain());
      expect(await look()).toEqual([]);
    }
  });

  test('calls again for the next incident: another hundred reports, another pause, and each time nothing is sent', async () => {
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
    try {
      let stats = healthy;
      const { outbox } = outboxWorld();
      const look = watching({ stats: async () => stats, iterate: none, on: outbox.on });
      const later = async (minutes: number, changes: Partial<OutboxStats>) => {
        now += minutes * 60_000;
        stats = { ...healthy, ...changes };
        return look();
      };
      const counted = (quarantined: number, recorded: number, waiting = 0) => ({
        states: { ...healthy.states, quarantined, recorded, waiting, 'in-flight': 0 },
        destinations: [{ account: 'default', environment: 'production' as const, isPending: waiting > 0 }],
      });
      expect(await later(0, counted(21, 1))).toEqual(['now: 21 reports need a person']);
      expect(await later(5, counted(40, 2))).toEqual([]);
      expect(await later(11, counted(40, 3))).toEqual([]);
      expect(await later(1, counted(140, 4))).toEqual(['now: 140 reports need a person']);
      expect(await later(20, counted(140, 5, 2))).toEqual([]);
      expect(await later(1, counted(140, 5, 3))).toEqual([]);
      const nothing = ['now: reports for production wait, and none was recorded for 80 seconds'];
      expect(await later(1, counted(140, 5, 3))).toEqual(nothing);
      expect(await later(5, counted(140, 5, 9))).toEqual([]);
      expect(await later(1, counted(140, 6, 9))).toEqual([]);
      expect(await later(1, counted(140, 6, 9))).toEqual([]);
      expect(await later(1, counted(140, 6, 9))).toEqual(nothing);
      expect(await later(1, counted(140, 6, 0))).toEqual([]);
      for (const account of ['default', 'brandB'])
        for (const reason of ['authentication', 'refusals'] as const) {
          const [pause] = paused(reason).paused ?? [];
          if (!pause) throw new Error('a pause: expected one');
          expect(await later(1, { ...counted(140, 7), oldestOpenAt: now, paused: [{ ...pause, account }] })).toEqual([
            `now: nothing is sent to production: ${reason}`,
          ]);
        }
    } finally {
      clock.mockRestore();
    }
  });

  test.each([
    ['many reports wait', true],
    ['no report waited before', false],
  ])(
    'calls within two minutes of the beginning of an outage, and not in one of a minute, while %s',
    async (_, isBusy) => {
      const LOOKS_MS = 20_000;
      let now = Date.now();
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
      try {
        /** When it called, counted from the beginning of an outage that began so long after a look. */
        const heardAfter = async (beginsMs: number, lengthMs: number) => {
          const { outbox } = outboxWorld();
          let record = () => {};
          const on: Outbox['on'] = (type, listener) => {
            const event = { account: 'default', environment: 'production' } as OutboxEvents['recorded'];
            if (type === 'recorded') record = () => (listener as (event: OutboxEvents['recorded']) => void)(event);
            return outbox.on(type, listener);
          };
          const [first, end] = [now, now + 15 * LOOKS_MS];
          const begin = now + 2 * LOOKS_MS + beginsMs;
          let recorded = 0;
          const isOut = () => now >= begin && now < begin + lengthMs;
          const look = watching({
            stats: async () => ({
              ...healthy,
              states: { ...healthy.states, recorded },
              destinations: [{ account: 'default', environment: 'production', isPending: isBusy || isOut() }],
            }),
            iterate: none,
            on,
          });
          for (; now < end; now += 1_000) {
            if (isBusy && !isOut()) {
              recorded += 1;
              record();
            }
            if ((now - first) % LOOKS_MS === 0 && (await look()).length > 0) return now - begin;
          }
          return Number.POSITIVE_INFINITY;
        };
        for (let beginsMs = 0; beginsMs < LOOKS_MS; beginsMs += 1_000) {
          expect(await heardAfter(beginsMs, 600_000)).toBeLessThanOrEqual(100_000);
          // The attempt that finds its end comes within ten seconds.
          expect(await heardAfter(beginsMs, 70_000)).toBe(Number.POSITIVE_INFINITY);
        }
      } finally {
        clock.mockRestore();
      }
    },
  );

  test('compares what waits with what is recorded for the same environment, and leaves a paused one to its own call', async () => {
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
    try {
      const { outbox } = outboxWorld();
      let record = () => {};
      const on: Outbox['on'] = (type, listener) => {
        const event = { account: 'default', environment: 'production' } as OutboxEvents['recorded'];
        if (type === 'recorded') record = () => (listener as (event: OutboxEvents['recorded']) => void)(event);
        return outbox.on(type, listener);
      };
      let stats = healthy;
      const look = watching({ stats: async () => stats, iterate: none, on });
      let recorded = 0;
      const minutes = async (many: number, changes: Partial<OutboxStats>, here: boolean) => {
        const heard: string[] = [];
        for (let minute = 0; minute < many; minute += 1) {
          now += 60_000;
          recorded += 1;
          if (here) record();
          stats = { ...healthy, states: { ...healthy.states, recorded }, ...changes };
          heard.push(...(await look()));
        }
        return heard;
      };
      const staging = { account: 'default', environment: 'staging', isPending: true } as const;
      const destinations = [...healthy.destinations, staging];
      const refused = { ...staging, reason: 'authentication', message: '', triedAt: 0, since: now, until: 0 } as const;
      expect(await minutes(10, { destinations, oldestOpenAt: now, paused: [refused] }, true)).toEqual([
        'now: nothing is sent to staging: authentication',
      ]);
      // The counts do not say where another process sends.
      expect(await minutes(10, { destinations }, false)).toEqual([]);
      expect(await minutes(10, { destinations }, true)).toEqual([
        'now: reports for staging wait, and none was recorded for 80 seconds',
      ]);
    } finally {
      clock.mockRestore();
    }
  });

  test('calls although another environment records while the counts are read', async () => {
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
    try {
      let [recorded, looks, record] = [0, 0, () => {}];
      const on: Outbox['on'] = (type, listener) => {
        const event = { account: 'default', environment: 'production' } as OutboxEvents['recorded'];
        if (type === 'recorded') record = () => (listener as (event: OutboxEvents['recorded']) => void)(event);
        return () => {};
      };
      const stats = async () => {
        looks += 1;
        const found = { ...healthy, states: { ...healthy.states, recorded } };
        if (looks % 2 === 0) {
          recorded += 1;
          record();
        }
        return { ...found, destinations: [{ account: 'default', environment: 'staging', isPending: true }] as const };
      };
      const look = watching({ stats, iterate: none, on });
      const heard: string[] = [];
      for (; heard.length === 0 && looks < 20; now += 20_000) heard.push(...(await look()));
      expect(heard).toEqual(['now: reports for staging wait, and none was recorded for 80 seconds']);
    } finally {
      clock.mockRestore();
    }
  });

  test('finds a conflict behind a thousand older quarantined reports', async () => {
    const { outbox } = outboxWorld();
    const reports = Array.from({ length: 1_000 }, (_, index) => ({
      id: `id-${index}`,
      problem: { code: 'unprocessable' },
    }));
    const look = watching({
      stats: async () => ({ ...healthy, states: { ...healthy.states, quarantined: reports.length } }),
      iterate: async function* () {
        yield* reports as unknown as Awaited<ReturnType<Outbox['list']>>;
      },
      on: outbox.on,
    });
    expect(await look()).toEqual(['now: 1000 reports need a person']);
    reports.push({ id: 'id-1000', problem: { code: 'conflict' } });
    expect(await look()).toEqual(['now: the gateway holds other data of a report']);
    expect(await look()).toEqual([]);
  });

  test('calls at once if the database lost commits or the outbox has stopped, apart from failures of the store', async () => {
    const { outbox } = outboxWorld();
    let tell: (event: OutboxEvents['error']) => void = () => {};
    const on: Outbox['on'] = (type, listener) => {
      if (type === 'error') tell = listener as typeof tell;
      return outbox.on(type, listener);
    };
    const heard: string[] = [];
    const look = guide.watch(
      { stats: async () => healthy, iterate: none, on },
      (text) => heard.push(text),
      () => {},
    );
    const tellOften = (event: OutboxEvents['error']) => Array.from({ length: 7 }, () => tell(event));
    tellOften({ message: 'it holds an older state', code: 'went-back', cause: undefined });
    await look();
    expect(heard.splice(0)).toEqual(Array(7).fill('OutboxWentBack: it holds an older state'));
    tellOften({ message: 'a key is missing', cause: new Error('a key is missing') });
    await look();
    expect(heard).toEqual([]);
    tell({ message: 'The outbox has stopped.', code: 'stopped', cause: undefined });
    tellOften({ message: 'The store failed.', code: 'store', cause: undefined });
    await look();
    expect(heard).toEqual(['The outbox has stopped.', 'operations of the store fail']);
  });

  test('calls for a pause of the gateway only after 15 minutes', async () => {
    const late = paused('unavailable');
    const [pause] = late.paused ?? [];
    if (!pause) throw new Error('a pause: expected one');
    expect(await alerts({ ...late, paused: [{ ...pause, since: Date.now() - 14 * 60_000 }] })).toEqual([]);
    expect(await alerts({ ...late, paused: [{ ...pause, since: Date.now() - 16 * 60_000 }] })).toEqual([
      'today: nothing is sent to production: unavailable',
    ]);
  });

  test('calls for each report that needs a person, and now for a conflict', async () => {
    const { outbox, gateway, run } = outboxWorld();
    const look = watching(outbox);
    const refused = async (bet_id: string, fault: Parameters<typeof gateway.faults.add>[0]) => {
      gateway.faults.add(fault);
      await run(outbox.reportBetEvent(betEvent({ bet_id })));
      await run(outbox.drain());
      return look();
    };
    const unprocessable = { kind: 'status', status: 422 } as const;
    expect(await refused('B-1', unprocessable)).toEqual(['today: 1 reports need a person']);
    expect(await refused('B-2', unprocessable)).toEqual(['today: 2 reports need a person']);
    expect(await look()).toEqual([]);
    const message = 'Bet B-3 has already been reported with different data';
    expect(await refused('B-3', { kind: 'status', status: 409, body: { message, statusCode: 409 } })).toEqual([
      'now: the gateway holds other data of a report',
    ]);
    expect(await look()).toEqual([]);
  });

  test('calls once while the store fails, and tells the known problems no second time', async () => {
    const store = memoryStore();
    const { outbox, gateway, run } = outboxWorld({ store });
    const look = watching(outbox);
    gateway.faults.add({ kind: 'status', status: 422 });
    await run(outbox.reportBetEvent(betEvent()));
    await run(outbox.drain());
    expect(await look()).toEqual(['today: 1 reports need a person']);
    const { counts } = store;
    Object.assign(store, { counts: () => Promise.reject(new Error('the disk is away')) });
    const heard: string[] = [];
    for (let minute = 0; minute < 9; minute += 1) heard.push(...(await look()));
    expect(heard).toEqual(['now: operations of the store fail']);
    Object.assign(store, { counts });
    expect(await look()).toEqual([]);
  });
});
