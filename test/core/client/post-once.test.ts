import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BrowserCoordinates } from '../../support/factories.js';

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
let lastHeaders: Headers;
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
  vi.stubGlobal('fetch', async (_: string, { body, headers }: { body: string; headers: Headers }) => {
    lastHeaders = headers;
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

describe('an id is a placed bet', () => {
  test.for([
    { success: true },
    { success: 'true', error: '' },
    { success: 10 },
    { success: null, ok: 200 },
    { ok: 'yes', errors: null },
    { error: null, errors: [] },
    { error: {}, errors: {} },
    { error: [] },
    { error: false },
    { request_id: null },
    { request_id: '' },
    { request_id: 7 },
  ])('with %j', async (said) => {
    const postOnce = await openTab();
    answer = () => Response.json({ bet_id: 'b-1', ...said });
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: true, bet_id: 'b-1' });
  });

  test.for([
    { success: false },
    { success: 0 },
    { success: '0' },
    { success: 'false' },
    { success: 'False' },
    { success: '' },
    { ok: false },
    { ok: '0', success: true },
    { error: 'Balance too low' },
    { error: true },
    { error: 1 },
    { error: [null] },
    { error: { code: 7 } },
    { errors: ['Balance too low'] },
    { errors: [{}] },
    { errors: { stake: ['too low'] } },
  ])('but in doubt with %j', async (said) => {
    const postOnce = await openTab();
    answer = () => Response.json({ bet_id: 'b-1', ...said });
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: false, message: IN_DOUBT });
  });
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
    ['a failure with an id', () => Response.json({ bet_id: 'BET-1', request_id: 'r-1' }, { status: 500 }), IN_DOUBT],
    ['a refusal that names a bet', () => Response.json({ bet_id: 'BET-1' }, { status: 422 }), IN_DOUBT],
    ['nothing (204)', () => new Response(null, { status: 204 }), IN_DOUBT],
    ['another request with this key runs', () => Response.json({ message: 'Busy.' }, { status: 409 }), 'Busy.'],
    ...[408, 425, 429, 500, 503].map((status): [string, () => Response, string] => [
      `${status}`,
      () => Response.json({ error: 'later' }, { status }),
      IN_DOUBT,
    ]),
    ['a proxy’s 403', () => new Response('<html>Blocked</html>', { status: 403 }), IN_DOUBT],
    [
      'the page to log in, to which another route leads',
      () => Object.defineProperty(Response.json({}, { status: 401 }), 'redirected', { value: true }),
      IN_DOUBT,
    ],
  ])('%s', async ([, failing, words]) => {
    const postOnce = await openTab();
    answer = failing;
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: false, message: words });
    // After a reload, and in another tab.
    expect(await (await openTab())('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: false });
    answer = placed;
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: true, message: 'Placed: 1.' });
    expect([posted.length, keys()]).toEqual([3, 1]);
    vi.advanceTimersByTime(1_000);
    expect(Object.keys(localStorage)).toEqual([]);
  });
});

describe('a refusal', () => {
  const REFUSED = 'This was refused. Contact support.';
  test.for<[status: number, body: object, words: string]>([
    [402, { message: 'Your balance is too low.' }, 'Your balance is too low.'],
    [400, { error: 'stake' }, REFUSED],
    [401, {}, 'You are logged out. Log in, and try again.'],
    [403, { message: '' }, REFUSED],
    [404, { message: { code: 1 } }, REFUSED],
    [422, { success: false }, REFUSED],
  ])('%i %j keeps its key, since a browser may have repeated the request by itself', async ([status, body, words]) => {
    const postOnce = await openTab();
    answer = () => Response.json(body, { status });
    for (const _press of ['first', 'second'])
      expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toEqual({ ...body, isOver: false, message: words });
    answer = placed;
    expect(await (await openTab())('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: true });
    expect([posted.length, keys()]).toEqual([3, 1]);
  });

  test('after a request in doubt is in doubt, also if an earlier one was refused', async () => {
    const postOnce = await openTab();
    const refused = () => Response.json({}, { status: 402 });
    const said: unknown[] = [];
    for (const next of [refused, lost, refused]) {
      answer = next;
      said.push((await postOnce('/bets', { stake: 1 }, NOWHERE)).message);
    }
    expect(said).toEqual([REFUSED, IN_DOUBT, IN_DOUBT]);
  });

  test.for(['in this tab', 'after a reload'])('of a key that may be placed ends nothing, %s', async (where) => {
    let postOnce = await openTab();
    answer = lost;
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    if (where === 'after a reload') postOnce = await openTab();
    answer = () => Response.json({}, { status: 401 });
    expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toMatchObject({ isOver: false, message: IN_DOUBT });
    answer = placed;
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    expect([posted.length, keys()]).toEqual([3, 1]);
  });

  test('has the words of the page’s language', async () => {
    const postOnce = await openTab();
    const messages = { refused: 'Dem no gree.' };
    answer = () => Response.json({}, { status: 400 });
    expect(await postOnce('/bets', { stake: 1 }, { messages, ...NOWHERE })).toMatchObject({ message: 'Dem no gree.' });
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

test.for<[what: string, one: object, other: object, keys: number]>([
  ['a member that is undefined', { stake: 1 }, { stake: 1, pick: undefined }, 1],
  ['a number that JSON does not have, sent as null', { stake: Number.NaN }, { stake: null }, 1],
  ['a date, sent as its text', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }, 1],
  ['another date', { at: new Date(0) }, { at: new Date(1) }, 2],
  ['a number as a text', { stake: 1 }, { stake: '1' }, 2],
  ['the order of a list', { picks: [1, 2] }, { picks: [2, 1] }, 2],
  ['a member deep inside', { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, 2],
  ['a member named __proto__', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":2}}'), 2],
  ['half of a character', { name: '\ud800' }, { name: '\ud801' }, 2],
])('contents are the same if their JSON is: %s', async ([, one, other, count]) => {
  const postOnce = await openTab();
  answer = lost;
  await postOnce('/bets', one, NOWHERE);
  await postOnce('/bets', other, NOWHERE);
  expect([posted.length, keys()]).toEqual([2, count]);
});

test('an address is that to which it leads', async () => {
  const base = { url: 'https://play.example.com/bets' };
  vi.stubGlobal(
    'Request',
    class {
      readonly url: string;
      constructor(url: string) {
        this.url = new URL(url, base.url).href;
      }
    },
  );
  const postOnce = await openTab();
  answer = lost;
  for (const url of ['/bets', 'bets', 'https://play.example.com/bets']) await postOnce(url, { stake: 1 }, NOWHERE);
  expect([posted.length, keys()]).toEqual([3, 1]);
  base.url = 'https://play.example.com/casino/';
  await postOnce('bets', { stake: 1 }, NOWHERE);
  expect([posted.length, keys()]).toEqual([4, 2]);
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
  expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toBe(later);
  vi.advanceTimersByTime(1_000);
  expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).not.toBe(later);
  expect(keys()).toBe(3);
});

test('in another tab, or after a reload, a second press within a second of the answer has the same key', async () => {
  await (await openTab())('/bets', { stake: 1 }, NOWHERE);
  const other = await openTab();
  vi.advanceTimersByTime(999);
  await other('/bets', { stake: 1 }, NOWHERE);
  expect([posted.length, keys()]).toEqual([2, 1]);
  vi.advanceTimersByTime(1_000);
  expect(Object.keys(localStorage)).toEqual([]);
  await other('/bets', { stake: 1 }, NOWHERE);
  expect([posted.length, keys()]).toEqual([3, 2]);
});

test("the browser's own coordinates are posted, also where they have no toJSON", async () => {
  const location = new BrowserCoordinates();
  await (await openTab())('/bets', { stake: 1 }, { location });
  expect(posted).toMatchObject([{ location: { latitude: 6.5, longitude: 3.3, accuracy: 20 } }]);
});

test('the same content after another one is another bet, within a second too, and has a quiet second of its own', async () => {
  const postOnce = await openTab();
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  vi.advanceTimersByTime(400);
  await postOnce('/bets', { stake: 2 }, NOWHERE);
  const second = await postOnce('/bets', { stake: 1 }, NOWHERE);
  expect([posted.length, keys()]).toEqual([3, 3]);
  // The second of the first one is over.
  vi.advanceTimersByTime(700);
  expect(await postOnce('/bets', { stake: 1 }, NOWHERE)).toBe(second);
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

  test('holds a key under a hash, and nothing of the content and its route', async () => {
    answer = lost;
    const content = { amount: 5000, bank: 'First Bank', last4: '6789' };
    await (await openTab())('/withdrawals?token=secret', content, NOWHERE);
    const [[name, key] = []] = Object.entries(localStorage);
    expect(name).toMatch(/^location-sdk:-?\d{1,10},-?\d{1,10}$/);
    expect(key).toBe(posted[0]?.key);
  });

  test('has a name for each of 50,000 contents, as much alike as contents are', async () => {
    vi.resetModules();
    const { nameOf } = await import('../../../src/core/client/post-once.js');
    const names = new Set<string>();
    const halves = [new Set<string>(), new Set<string>()];
    for (let number = 0; number < 25_000; number += 1)
      for (const content of [{ stake: number }, { amount: 100, last4: `${number}`.padStart(10, '0') }]) {
        const name = nameOf('/bets', content);
        names.add(name);
        name
          .split(/[:,]/)
          .slice(1)
          .forEach((half, index) => {
            halves[index]?.add(half);
          });
      }
    expect(names.size).toBe(50_000);
    // By chance alone, at most a few of each half are the same.
    for (const half of halves) expect(half.size).toBeGreaterThan(49_990);
  });

  test('off: the tab keeps its newest hundred keys', async () => {
    vi.stubGlobal('localStorage', undefined);
    const postOnce = await openTab();
    answer = lost;
    for (let stake = 0; stake <= 100; stake += 1) await postOnce('/bets', { stake }, NOWHERE);
    expect(keys()).toBe(101);
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    await postOnce('/bets', { stake: 100 }, NOWHERE);
    expect(keys()).toBe(101);
    await postOnce('/bets', { stake: 0 }, NOWHERE);
    expect(keys()).toBe(102);
  });

  test('that fails, fills up or comes back in the middle does not change the key', async () => {
    const postOnce = await openTab();
    const storage = globalThis.localStorage;
    answer = () => {
      vi.stubGlobal('localStorage', undefined);
      return lost();
    };
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    vi.stubGlobal('localStorage', storage);
    storage.clear?.();
    vi.spyOn(storage, 'setItem').mockImplementation(() => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    });
    answer = lost;
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    vi.restoreAllMocks();
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    await (await openTab())('/bets', { stake: 1 }, NOWHERE);
    expect([posted.length, keys()]).toEqual([5, 1]);
  });

  test('a key of yesterday is removed, and what is not of the package stays', async () => {
    answer = lost;
    await (await openTab())('/bets', { stake: 1 }, NOWHERE);
    localStorage.setItem('theme', 'dark');
    vi.advanceTimersByTime(86_400_000);
    await (await openTab())('/bets', { stake: 2 }, NOWHERE);
    expect(Object.keys(localStorage)).toEqual(['theme', expect.stringMatching(/^location-sdk:/)]);
    expect(Object.values(localStorage)).toEqual(['dark', posted[1]?.key]);
    await (await openTab())('/bets', { stake: 1 }, NOWHERE);
    expect(keys()).toBe(3);
  });

  test.each([true, false])('a page that stays open keeps a key for a day, with storage: %s', async (isStored) => {
    answer = lost;
    if (!isStored) vi.stubGlobal('localStorage', undefined);
    const postOnce = await openTab();
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    vi.advanceTimersByTime(86_300_000);
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    expect(keys()).toBe(1);
    vi.advanceTimersByTime(100_000);
    await postOnce('/bets', { stake: 1 }, NOWHERE);
    expect(keys()).toBe(2);
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

test('a report that does not end leaves the bet in doubt after 90 s', async () => {
  const postOnce = await openTab();
  let ended: unknown;
  void postOnce('/bets', { stake: 1 }, { report: () => new Promise(() => {}) }).then((result) => {
    ended = result;
  });
  await vi.advanceTimersByTimeAsync(89_999);
  expect(ended).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toMatchObject({ isOver: false, message: IN_DOUBT });
  await postOnce('/bets', { stake: 1 }, { report: async () => ({ isOver: true, text: 'This went through.' }) });
  expect([posted.length, keys()]).toEqual([2, 1]);
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

test('no answer, and one that names no bet, is told to the developer', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  const postOnce = await openTab();
  answer = () => Response.json({ message: 'Too low.' }, { status: 402 });
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  expect(warn).not.toHaveBeenCalled();
  answer = () => Response.json({ id: 'B-1', message: 'Placed.' }, { status: 201 });
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  answer = lost;
  await postOnce('/bets', { stake: 1 }, NOWHERE);
  const told = expect.stringContaining('no 2xx with bet_id or request_id');
  expect(warn.mock.calls).toEqual([
    [told, '201'],
    [told, ''],
  ]);
  warn.mockRestore();
});

test('its content type is one, however the page names it, and a header that cannot be sent leaves the bet in doubt', async () => {
  const postOnce = await openTab();
  await postOnce('/bets', { stake: 1 }, { ...NOWHERE, headers: { 'Content-Type': 'text/plain', 'X-Token': 'a' } });
  expect([...lastHeaders]).toEqual([
    ['content-type', 'application/json'],
    ['x-token', 'a'],
  ]);
  const result = await postOnce('/bets', { stake: 2 }, { ...NOWHERE, headers: { 'x-name': 'Adaeze\n' + 'x' } });
  expect(result).toMatchObject({ isOver: false, message: IN_DOUBT });
});

test('a wrong call is refused before anything is sent', async () => {
  const postOnce = (await openTab()) as unknown as (...given: unknown[]) => Promise<unknown>;
  const circle: Record<string, unknown> = {};
  circle.itself = circle;
  for (const [url, content, options] of [
    ['/bets', undefined],
    ['/bets', [1]],
    ['/bets', new FormData()],
    ['/bets', new Map([['stake', 1]])],
    ['/bets', { stake: 1, key: 'mine' }],
    ['/bets', { stake: 1, location: {} }],
    ['/bets', { stake: 1n }],
    ['/bets', circle],
    ['/bets', { toJSON: () => 1 }],
    ['/bets', { stake: 1 }, { timeoutMs: Number.NaN }],
    ['', { stake: 1 }],
    [undefined, { stake: 1 }],
  ])
    await expect(postOnce(url, content, options)).rejects.toMatchObject({ code: 'validation', outcome: 'not-sent' });
  expect(posted).toEqual([]);
});

test('however tabs press, fail and reload, a new key needs a success before it', async () => {
  const refused = () => Response.json({}, { status: 402 });
  const press = fc.record({
    tab: fc.nat(2),
    stake: fc.nat(1),
    fails: fc.constantFrom(undefined, lost, refused),
    reloads: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(press, { maxLength: 12 }), async (presses) => {
      vi.stubGlobal('localStorage', new MemoryStorage());
      posted = [];
      const tabs = await Promise.all([openTab(), openTab(), openTab()]);
      const successes = [0, 0];
      for (const { tab, stake, fails, reloads } of presses) {
        vi.advanceTimersByTime(1_000);
        if (reloads) tabs[tab] = await openTab();
        answer = fails ?? placed;
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
