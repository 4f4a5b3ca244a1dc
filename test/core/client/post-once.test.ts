import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

/** One tab: a copy of the module, which shares its storage with the others. */
async function openTab() {
  vi.resetModules();
  const { postOnce } = await import('../../../src/core/client/post-once.js');
  return postOnce;
}

interface Posted {
  readonly key: string;
  readonly stake: number;
  readonly location?: unknown;
}

/** A backend that places each key once, and the requests that it got. */
let posted: Posted[] = [];
let answer: (body: Posted) => Response | Promise<Response>;
const placed = ({ key, stake }: Posted) => Response.json({ bet_id: `BET-${key}`, message: `Placed: ${stake}.` });
const lost = () => Promise.reject(new TypeError('Failed to fetch'));

/** `localStorage`, whose members are its items. */
class MemoryStorage {
  [name: string]: unknown;
  getItem(name: string): string | null {
    return Object.hasOwn(this, name) ? String(this[name]) : null;
  }
  setItem(name: string, value: string): void {
    this[name] = value;
  }
  removeItem(name: string): void {
    delete this[name];
  }
}

const keys = () => new Set(posted.map(({ key }) => key)).size;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_764_000_000_000 });
  posted = [];
  answer = placed;
  vi.stubGlobal('localStorage', new MemoryStorage());
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const sent = JSON.parse(body) as Posted;
    posted.push(sent);
    return answer(sent);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const NOWHERE = { location: null };
const IN_DOUBT = 'We do not know yet whether this went through. Ask again: it cannot count twice.';

test('it posts the content with a key and the position, and gives the answer', async () => {
  const postOnce = await openTab();
  const here = { latitude: 6.45, longitude: 3.39, accuracy: 20 };
  const result = await postOnce('/bets', { stake: 1500 }, { location: here });
  const [{ key } = { key: '' }] = posted;
  expect(posted).toEqual([{ stake: 1500, key: expect.stringMatching(/^[\da-z-]{10,60}$/), location: here }]);
  expect(result).toEqual({ bet_id: `BET-${key}`, isOver: true, message: 'Placed: 1500.' });
});

describe('until it is placed, the same content has the same key', () => {
  test.for<[what: string, answer: () => Response | Promise<Response>, words: string]>([
    ['no answer', lost, IN_DOUBT],
    ['another program’s page', () => new Response('<html>Log in to the network</html>'), IN_DOUBT],
    ['a list', () => Response.json(['ok']), IN_DOUBT],
    ['an object that names no bet', () => Response.json({ message: 'Welcome!' }), 'Welcome!'],
    ['an empty id', () => Response.json({ bet_id: '' }), IN_DOUBT],
    ['an id of another type', () => Response.json({ bet_id: {} }), IN_DOUBT],
    ['a failure that names its request', () => Response.json({ success: false, request_id: 'r-1' }), IN_DOUBT],
    [
      'a refusal',
      () => Response.json({ message: 'Your balance is too low.' }, { status: 402 }),
      'Your balance is too low.',
    ],
    ['a failure with an id', () => Response.json({ bet_id: 'BET-1', request_id: 'r-1' }, { status: 500 }), IN_DOUBT],
  ])('%s', async ([, failing, words]) => {
    const postOnce = await openTab();
    answer = failing;
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: false, message: words });
    // After a reload, and in another tab.
    expect(await (await openTab())('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: false });
    answer = placed;
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: true, message: 'Placed: 1.' });
    expect([posted.length, keys()]).toEqual([3, 1]);
    expect(Object.keys(localStorage)).toEqual([]);
  });
});

test('another content, and the same one for another route, have other keys', async () => {
  const postOnce = await openTab();
  answer = lost;
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  await postOnce('/bets', { stake: 2 }, NOWHERE);
  await postOnce('/withdrawals', { stake: 1 }, NOWHERE);
  expect(keys()).toBe(3);
});

test('the order of the members does not make another content', async () => {
  const postOnce = await openTab();
  answer = lost;
  await postOnce('/bets', { stake: 1, pick: { match: 'M-1', odds: 2 } }, NOWHERE);
  await postOnce('/bets', { pick: { odds: 2, match: 'M-1' }, stake: 1 }, NOWHERE);
  expect([posted.length, keys()]).toEqual([2, 1]);
});

test('lists with other members are another content, though a library gives lists a toJSON', async () => {
  Object.assign(Array.prototype, { toJSON: () => 'a list' });
  try {
    const postOnce = await openTab();
    answer = lost;
    await postOnce('/bets', { picks: [{ match: 'M-1' }] }, NOWHERE);
    await postOnce('/bets', { picks: [{ match: 'M-2' }] }, NOWHERE);
  } finally {
    Reflect.deleteProperty(Array.prototype, 'toJSON');
  }
  expect(posted).toMatchObject([{ picks: [{ match: 'M-1' }] }, { picks: [{ match: 'M-2' }] }]);
  expect(keys()).toBe(2);
});

test('it posts the content of the press, though the page changes its object while the position is looked for', async () => {
  const postOnce = await openTab();
  const bet = { stake: 1500 };
  const result = postOnce('/bets', bet);
  bet.stake = 2000;
  expect(await result).toMatchObject({ message: 'Placed: 1500.' });
  expect(posted).toMatchObject([{ stake: 1500 }]);
});

test('a press in doubt keeps its key, though another press of the same content got its answer meanwhile', async () => {
  const postOnce = await openTab();
  let lose = () => {};
  answer = () =>
    new Promise((_, reject) => {
      lose = () => reject(new TypeError('Failed to fetch'));
    });
  const doubtful = postOnce('/bets', { stake: 1 }, NOWHERE);
  await vi.waitFor(() => expect(posted.length).toBe(1));
  answer = placed;
  expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: true });
  lose();
  expect(await doubtful).toMatchObject({ isOver: false, message: IN_DOUBT });
  vi.advanceTimersByTime(1_000);
  // After a reload, too.
  await (await openTab())('/bets', { stake: 1 }, NOWHERE);
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  expect([posted.length, keys()]).toEqual([4, 1]);
});

test('a second click within a second of the answer gets the same result, and a later one is another bet', async () => {
  const postOnce = await openTab();
  const first = await postOnce('/bets', { stake: 1 }, NOWHERE);
  vi.advanceTimersByTime(999);
  expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toBe(first);
  vi.advanceTimersByTime(1);
  const later = await postOnce('/bets', { stake: 1 }, NOWHERE);
  expect(later).not.toBe(first);
  vi.setSystemTime(Date.now() - 3_600_000); // the player sets the clock
  expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).not.toBe(later);
  expect(keys()).toBe(3);
});

test('a tab in doubt asks for its own bet, though another tab has placed it and is in doubt of the next one', async () => {
  const [one, other] = [await openTab(), await openTab()];
  answer = lost;
  await one('/bets', { stake: 1 }, NOWHERE);
  answer = placed;
  await other('/bets', { stake: 1 }, NOWHERE);
  vi.advanceTimersByTime(1_000);
  answer = lost;
  await other('/bets', { stake: 1 }, NOWHERE);
  answer = placed;
  await one('/bets', { stake: 1 }, NOWHERE);
  // The other tab is reloaded, and asks for its second bet.
  await (await openTab())('/bets', { stake: 1 }, NOWHERE);
  const [first, , second] = posted.map(({ key }) => key);
  expect(posted.map(({ key }) => key)).toEqual([first, first, second, first, second]);
});

describe('storage', () => {
  test.for<[what: string, storage: () => void]>([
    ['absent', () => vi.stubGlobal('localStorage', undefined)],
    ['null, as in some web views', () => vi.stubGlobal('localStorage', null)],
    [
      'forbidden',
      () =>
        Object.defineProperty(globalThis, 'localStorage', {
          configurable: true,
          get: () => {
            throw new DOMException('Access is denied.', 'SecurityError');
          },
        }),
    ],
    [
      'full',
      () =>
        vi.spyOn(MemoryStorage.prototype, 'setItem').mockImplementation(() => {
          throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
        }),
    ],
  ])('%s: the key lasts until a reload', async ([, change]) => {
    change();
    const postOnce = await openTab();
    answer = lost;
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    answer = placed;
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: true });
    expect([posted.length, keys()]).toEqual([2, 1]);
    vi.restoreAllMocks();
  });

  test('a key of yesterday is removed, and what is not of the package stays', async () => {
    answer = lost;
    await (await openTab())('/bets', { stake: 1 }, NOWHERE);
    localStorage.setItem('theme', 'dark');
    vi.advanceTimersByTime(86_400_000);
    await (await openTab())('/bets', { stake: 2 }, NOWHERE);
    expect(Object.keys(localStorage)).toEqual(['theme', 'location-sdk:/bets {"stake":2}']);
    await (await openTab())('/bets', { stake: 1 }, NOWHERE);
    expect(keys()).toBe(3);
  });
});

test('it waits 30 s for an answer, or the time that is given', async () => {
  const postOnce = await openTab();
  answer = () => new Promise(() => {});
  let ended = 0;
  const count = () => {
    ended += 1;
  };
  void postOnce('/bets', { stake: 1 }, NOWHERE).then(count);
  void postOnce('/bets', { stake: 2 }, { ...NOWHERE, timeoutMs: 500 }).then(count);
  await vi.advanceTimersByTimeAsync(500);
  expect(ended).toBe(1);
  await vi.advanceTimersByTimeAsync(29_499);
  expect(ended).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toBe(2);
});

test('a bet that the page itself reports keeps its key until the report is over', async () => {
  const postOnce = await openTab();
  const reports = [
    { isOver: false, text: 'We do not know yet.' },
    { isOver: true, text: 'This went through.' },
  ];
  const report = vi.fn(async () => reports[Math.min(report.mock.calls.length, 2) - 1] ?? { isOver: false, text: '' });
  expect(await postOnce('/bets', { stake: 1 }, { report })).toMatchObject({
    isOver: false,
    message: 'We do not know yet.',
  });
  expect(await postOnce('/bets', { stake: 1 }, { report })).toMatchObject({
    isOver: true,
    message: 'This went through.',
  });
  expect([posted.length, keys(), report.mock.calls.length]).toEqual([2, 1, 2]);
  expect(report).toHaveBeenCalledWith(expect.objectContaining({ bet_id: `BET-${posted[0]?.key}` }));
});

test.for<[what: string, report: () => unknown, errors?: number]>([
  ['rejects', () => Promise.reject(new Error('The page has a mistake.')), 1],
  [
    'throws',
    () => {
      throw new Error('The page has a mistake.');
    },
    1,
  ],
  ['returns nothing', async () => undefined],
])('a report that %s leaves the bet in doubt', async ([, report, errors = 0]) => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const postOnce = (await openTab()) as (...given: unknown[]) => Promise<unknown>;
  expect(await postOnce('/bets', { stake: 1 }, { report })).toMatchObject({ isOver: false, message: IN_DOUBT });
  await postOnce('/bets', { stake: 1 }, { report: async () => ({ isOver: true, text: 'This went through.' }) });
  expect([posted.length, keys()]).toEqual([2, 1]);
  expect(printed.mock.calls.length).toBe(errors);
  printed.mockRestore();
});

test.for<[what: string, crypto: unknown]>([
  ['no crypto', undefined],
  ['a part of it', { subtle: {} }],
  [
    'one whose native module is missing',
    {
      getRandomValues() {
        throw new Error('ExpoCrypto is missing.');
      },
    },
  ],
])('an app with %s has keys, too', async ([, crypto]) => {
  vi.stubGlobal('crypto', crypto);
  const postOnce = await openTab();
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  await postOnce('/bets', { stake: 2 }, NOWHERE);
  for (const { key } of posted) expect(key).toMatch(/^[\da-z]+(?:-[\da-z]+){4}$/);
  expect(keys()).toBe(2);
});

test('members that another script added to all objects are left out', async () => {
  const added = { key: 1, location: 1, extend: () => {} };
  Object.assign(Object.prototype, added);
  try {
    expect(await (await openTab())('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: true });
  } finally {
    for (const name of Object.keys(added)) Reflect.deleteProperty(Object.prototype, name);
  }
});

test('without words of the backend it uses the texts that are given', async () => {
  const postOnce = await openTab();
  const messages = { recorded: 'E don go.', 'in-doubt': 'We never know.' };
  answer = lost;
  expect(await postOnce('/bets', { stake: 1 }, { ...NOWHERE, messages })).toMatchObject({ message: 'We never know.' });
  answer = () => Response.json({ bet_id: 'B-1' });
  expect(await postOnce('/bets', { stake: 1 }, { ...NOWHERE, messages })).toMatchObject({ message: 'E don go.' });
});

test('the content is an object of any type without key and location', () => {
  interface Slip {
    stake: number;
  }
  const slip: Slip = { stake: 1 };
  const typed = (postOnce: Awaited<ReturnType<typeof openTab>>) => [
    postOnce('/bets', slip),
    postOnce<{ request_id: string }>('/withdrawals', { amount: 1 }),
    // @ts-expect-error postOnce adds the key
    postOnce('/bets', { stake: 1, key: 'mine' }),
    // @ts-expect-error postOnce adds the location
    postOnce('/bets', { stake: 1, location: {} }),
    // @ts-expect-error the content is an object
    postOnce('/bets', 'stake=1'),
  ];
  expect(typed).toBeTypeOf('function');
});

test('an answer that names no bet is told to the developer', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  const postOnce = await openTab();
  answer = () => Response.json({ message: 'Too low.' }, { status: 402 });
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  expect(warn).not.toHaveBeenCalled();
  answer = () => Response.json({ id: 'B-1', message: 'Placed.' }, { status: 201 });
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('no bet_id or request_id')]]);
  warn.mockRestore();
});

test('a wrong call is refused before anything is sent', async () => {
  const postOnce = (await openTab()) as unknown as (...given: unknown[]) => Promise<unknown>;
  const circle: Record<string, unknown> = {};
  circle.itself = circle;
  for (const [url, content, options] of [
    ['/bets', undefined],
    ['/bets', [1]],
    ['/bets', { stake: 1, key: 'mine' }],
    ['/bets', { stake: 1, location: {} }],
    ['/bets', { stake: 1n }],
    ['/bets', circle],
    ['/bets', { toJSON: () => 1 }],
    ['/bets', { stake: 1 }, { timeoutMs: Number.NaN }],
    [undefined, { stake: 1 }],
  ])
    await expect(postOnce(url, content, options)).rejects.toMatchObject({ code: 'validation', outcome: 'not-sent' });
  expect(posted).toEqual([]);
});

test('however tabs press, fail and reload, a new key needs a success before it', async () => {
  const press = fc.record({ tab: fc.nat(2), stake: fc.nat(1), fails: fc.boolean(), reloads: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(press, { maxLength: 12 }), async (presses) => {
      vi.stubGlobal('localStorage', new MemoryStorage());
      posted = [];
      const tabs = await Promise.all([openTab(), openTab(), openTab()]);
      const successes = [0, 0];
      for (const { tab, stake, fails, reloads } of presses) {
        vi.advanceTimersByTime(1_000);
        if (reloads) tabs[tab] = await openTab();
        answer = fails ? lost : placed;
        const result = await tabs[tab]?.('/bets', { stake }, NOWHERE);
        expect(result?.isOver).toBe(!fails);
        const used = new Set(posted.filter((body) => body.stake === stake).map(({ key }) => key)).size;
        expect(used).toBeLessThanOrEqual(1 + (successes[stake] ?? 0));
        if (!fails) successes[stake] = (successes[stake] ?? 0) + 1;
      }
      expect(new Set(posted.map(({ key, stake }) => `${key} ${stake}`)).size).toBe(keys());
    }),
    { numRuns: 40 },
  );
});
