import { describe, expect, test } from 'vitest';
import { needsOf, reasonsOf } from '../../../pages/console/reasons.js';
import { timeWords } from '../../../pages/console/words.js';
import type { DestinationCounts, Overview } from '../../../src/operator/overview.js';
import type { ShownPause } from '../../../src/operator/resume.js';
import { PAUSE_WORDS } from '../../../src/operator/resume.js';

const NOW = 1_795_161_600_000;
const NONE = { waiting: 0, blocked: 0, 'in-flight': 0, quarantined: 0, recorded: 0, dismissed: 0 };

const destination = (more: Partial<DestinationCounts> = {}): DestinationCounts => ({
  account: 'default',
  environment: 'production',
  gateway: 'https://gateway.example.com',
  states: { ...NONE, waiting: 3 },
  oldestOpenAt: NOW - 10 * 60_000,
  recordedAt: NOW - 90_000,
  ...more,
});

const overview = (more: Partial<Overview> = {}): Overview => ({
  now: NOW,
  states: NONE,
  refused: 0,
  countedAt: NOW,
  oldestOpenAt: null,
  destinations: [destination()],
  pauses: [],
  missingKeys: [],
  otherGateways: [],
  recordedInLastMinute: 0,
  receipts: null,
  isLogDamaged: false,
  wentBackAt: null,
  ...more,
});

const pause = (reason: ShownPause['reason'], more: Partial<ShownPause> = {}): ShownPause => ({
  account: 'default',
  environment: 'production',
  operation: null,
  reason,
  message: 'in the words of the gateway',
  triedAt: NOW - 20_000,
  since: NOW - 60_000,
  nextProbeAt: NOW + 5_000,
  failedProbes: 2,
  ...PAUSE_WORDS[reason],
  ...more,
});

describe('what needs a person is counted', () => {
  test.each([
    ['authentication', 1, /valid key/],
    ['address', 1, /base address/],
    ['configuration', 1, /setting/],
    ['refusals', 1, /operator of the gateway/],
    ['rate-limited', 0, /Wait/],
    ['unavailable', 0, /Wait/],
    ['unreachable', 0, /Wait/],
  ] as const)('a pause for %s counts %i, and says what to do', (reason, count, action) => {
    const found = overview({ pauses: [pause(reason)] });
    expect(needsOf(found)).toBe(count);
    expect(reasonsOf(found)).toMatchObject([
      {
        place: 'production',
        said: `${timeWords(NOW - 20_000, NOW)}: in the words of the gateway`,
        action: expect.stringMatching(action),
      },
    ]);
  });

  test('with the reports to decide, a missing encryption key, another gateway and a damaged log', () => {
    const found = overview({
      states: { ...NONE, quarantined: 7 },
      missingKeys: ['2026-08'],
      otherGateways: [{ account: 'lagos', environment: 'staging', message: 'They go to A. Run: rebind' }],
      isLogDamaged: true,
    });
    expect(needsOf(found)).toBe(10);
    expect(reasonsOf(found).map(({ place, tone }) => [place, tone])).toEqual([
      ['lagos, staging', 'bad'],
      ['Encryption key 2026-08', 'bad'],
      ['Log of receipts', 'bad'],
    ]);
  });
});

describe('reports that wait without a pause', () => {
  test('have no reason while others of their destination are recorded', () => {
    expect(reasonsOf(overview())).toEqual([]);
  });

  test.each([
    ['none was recorded for minutes', { recordedAt: NOW - 3 * 60_000 }],
    ['none was recorded for an hour', { recordedAt: null }],
    ['a worker took them and has died', { recordedAt: null, states: { ...NONE, 'in-flight': 3 } }],
  ])('are named where %s', (_, more) => {
    const found = overview({ destinations: [destination(more)] });
    const action = expect.stringMatching(/worker/);
    expect(reasonsOf(found)).toMatchObject([
      { tone: 'doubt', place: 'production', words: expect.stringMatching(/^3 reports wait/), action },
    ]);
    expect(needsOf(found)).toBe(0);
  });

  test.each([
    ['were enqueued a moment ago', destination({ recordedAt: null, oldestOpenAt: NOW - 5_000 })],
    ['are none', destination({ recordedAt: null, states: NONE, oldestOpenAt: null })],
    [
      'only wait for a report that needs a person',
      destination({ recordedAt: null, states: { ...NONE, blocked: 2, quarantined: 2 } }),
    ],
  ])('are not named where they %s', (_, one) => {
    expect(reasonsOf(overview({ destinations: [one] }))).toEqual([]);
  });

  test('are named once where a pause says why', () => {
    expect(
      reasonsOf(overview({ destinations: [destination({ recordedAt: null })], pauses: [pause('unreachable')] })),
    ).toHaveLength(1);
  });
});
