// @module-tag slow: presses at random for a minute.
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { nameOf } from '../../src/core/client/post-once.js';
import { createRandom } from '../soak/random.js';
import { badNetwork, type Fate } from './bad-network.js';
import { bet, buttonOf, NO_ANSWER, openBet, pressAt, WAIT } from './bet-page.js';
import { test as base } from './browser-test.js';
import { grantGeolocation } from './geolocation.js';
import { mostBets, type Noted, notePresses } from './press-log.js';
import { betsIn, startTutorial } from './tutorial-site.js';

const { PRESSES, PRESS_SEED, TEST_CASES } = process.env;
const presses = Number(PRESSES ?? (TEST_CASES === 'all' ? 40 : 6));
const seed = Number(PRESS_SEED ?? Date.now() % 1_000_000);

/** Few, so that a stake in doubt is pressed again, with other stakes between. */
const STAKES = [100, 200, 300];
const PATIENCE = { timeout: 90_000 };

/** The two ways to report, and what their pages may say. */
const WAYS = {
  page: { isOver: /^Your bet of \d+ (?:is placed|was placed before)\.$/, others: [NO_ANSWER] },
  'page-with-relay': {
    isOver: /^This went through\.$/,
    others: [NO_ANSWER, 'You are offline. Connect to the internet, and ask again: it cannot count twice.'],
  },
} as const;

type Random = ReturnType<typeof createRandom>;

const oneOf = <Item>({ random }: Random, list: readonly Item[]): Item =>
  list[Math.floor(random() * list.length)] as Item;

/** Draws the fate of each POST. Only the page's are repeated: the backend's own repeats are the package's. */
const fates =
  (by: Random, mayRepeat: boolean): (() => Fate) =>
  () => {
    const { random, between } = by;
    const [what, there, back] = [random(), between([0, 120]), between([0, 120])];
    if (what < 0.15) return { there, cut: 'before' };
    if (what < 0.35) return { there, back, cut: 'after' };
    if (what < 0.5 && mayRepeat) return { there, back, repeat: true };
    if (what < 0.55) return { there: there * 10, back: back * 5 };
    return { there, back };
  };

const test = base.extend('begin', async ({ context, gateway }, { onCleanup }) => async (way: keyof typeof WAYS) => {
  await grantGeolocation(context);
  const toGateway = await badNetwork(gateway.url, fates(createRandom(seed + 1), false));
  const site = await startTutorial(way, toGateway.url);
  const toSite = await badNetwork(site.url, fates(createRandom(seed + 2), true));
  onCleanup(async () => void (await Promise.all([toSite.close(), site.close(), toGateway.close()])));
  const notes = await notePresses(context, { wait: WAIT, isOver: WAYS[way].isOver });
  const heal = () => {
    toGateway.heal();
    toSite.heal();
  };
  return { context, url: toSite.url, ...notes, toSite, toGateway, heal, reports: () => gateway.gateway.reports() };
});

interface World {
  readonly context: BrowserContext;
  readonly url: string;
  readonly log: readonly Noted[];
  of(page: Page): { readonly waitsFor: number | undefined; readonly open: ReadonlySet<number> } | undefined;
}

const isWaiting = (world: World, page: Page) => world.of(page)?.waitsFor !== undefined;

/** No press is without words at its end, and then the button can be pressed. */
async function answered(world: World, page: Page): Promise<void> {
  await expect.poll(() => isWaiting(world, page), PATIENCE).toBe(false);
  await expect.poll(() => buttonOf(page).isEnabled()).toBe(true);
}

/** Presses as an impatient player on a bad line: in three tabs, too often, before the answer, after a reload. */
async function pressAtRandom(world: World & { amounts(): Promise<readonly number[]> }, by: Random): Promise<void> {
  const { random, between } = by;
  const tabs = [await openBet(world), await openBet(world)];
  const pressed = () => world.log.filter(({ what }) => what === 'press').length;
  while (pressed() < presses) {
    const index = Math.floor(random() * tabs.length);
    const page = tabs[index] as Page;
    const [what, isPatient, apartMs] = [random(), random() < 0.6, between([60, 900])];
    // The same stake as before, more often than not.
    const stake = random() < 0.5 ? ([...(world.of(page)?.open ?? [])].at(-1) ?? oneOf(by, STAKES)) : oneOf(by, STAKES);
    await page.bringToFront();
    if (what < 0.1) await page.reload();
    else if (what < 0.15) {
      await page.close();
      tabs[index] = await openBet(world);
    } else if (what < 0.2) {
      await page.goto('about:blank');
      await page.goBack();
    } else if (what < 0.25)
      await world.context.setGeolocation({ latitude: 6 + random(), longitude: 3 + random(), accuracy: 30 });
    else if (isWaiting(world, page)) {
      // The button is disabled: the press must do nothing.
      await (await pressAt(page))();
      if (isPatient) await answered(world, page);
    } else {
      const isOffline = what > 0.9;
      await expect.poll(() => buttonOf(page).isEnabled()).toBe(true);
      await world.context.setOffline(isOffline);
      const before = pressed();
      await bet(page, stake);
      await expect.poll(pressed).toBeGreaterThan(before);
      if (what < 0.5) {
        await page.waitForTimeout(apartMs);
        await (await pressAt(page))();
      }
      if (isPatient || isOffline) await answered(world, page);
      await world.context.setOffline(false);
    }
  }
  for (const page of tabs) await answered(world, page);
}

/**
 * The network is good again, and the player asks for each bet until the page says that it is placed. Gives the keys that
 * the page still keeps.
 */
async function askForAll(world: World & { amounts(): Promise<readonly number[]> }): Promise<readonly string[]> {
  const ask = async (page: Page, stake: number) => {
    await page.bringToFront();
    await bet(page, stake);
    await answered(world, page);
    expect([...(world.of(page)?.open ?? [])]).not.toContain(stake);
  };
  for (const page of world.context.pages()) for (const stake of world.of(page)?.open ?? []) await ask(page, stake);
  const page = await openBet(world);
  const unsure = () => page.evaluate(() => Object.keys(localStorage));
  const itemOf = (stake: number) => nameOf(new URL('/bets', page.url()).href, { stake });
  for (const item of await unsure()) {
    const stake = STAKES.find((one) => itemOf(one) === item);
    await ask(page, stake ?? expect.unreachable(`no stake has the item ${item}`));
  }
  // The key of a placed bet stays for a second.
  await expect.poll(unsure, { timeout: 5_000 }).toEqual([]);
  return unsure();
}

describe('the most bets that a player can have meant', () => {
  const isOver = /placed/;
  const log = (...noted: readonly [at: number, document: number, stake: number, text?: string][]): Noted[] =>
    noted.map(([at, document, stake, text]) => ({
      at,
      document,
      stake,
      text: text ?? '',
      what: text === undefined ? 'press' : 'says',
    }));
  test.for<[what: string, most: number, log: Noted[]]>([
    ['one press', 1, log([0, 1, 100])],
    ['a press, and again without an answer', 1, log([0, 1, 100], [5_000, 1, 100, 'unknown'], [6_000, 1, 100])],
    ['then after a reload, and in another tab', 1, log([0, 1, 100], [3_000, 2, 100], [6_000, 3, 100])],
    ['a double click', 1, log([0, 1, 100], [300, 1, 100, 'placed'], [900, 1, 100])],
    [
      'the same after another content in between, within a second',
      2,
      log([0, 1, 100], [300, 1, 100, 'placed'], [400, 1, 200], [500, 1, 200, 'unknown'], [900, 1, 100]),
    ],
    ['a press after it is placed', 2, log([0, 1, 100], [300, 1, 100, 'placed'], [3_000, 1, 100])],
    ['the same in another tab', 2, log([0, 1, 100], [300, 1, 100, 'placed'], [3_000, 2, 100])],
    [
      'a tab that is still in doubt',
      1,
      log([0, 1, 100], [100, 2, 100], [300, 1, 100, 'placed'], [400, 2, 100, 'unknown'], [3_000, 2, 100]),
    ],
  ])('%s: %i', { tags: 'slice' }, ([, most, noted]) => {
    expect(mostBets(noted, isOver).get(100)).toBe(most);
  });
});

describe.for(['page', 'page-with-relay'] as const)('on the page of docs/start/%s.md', (way) => {
  test(`${presses} presses at random make one report for each bet, and one bet for each intention (PRESS_SEED=${seed})`, {
    tags: 'slice',
    timeout: 60_000 + presses * 10_000,
  }, async ({ begin }) => {
    const world = await begin(way);
    const { isOver, others } = WAYS[way];
    const amounts = async () => world.reports().map(({ body }) => Number(body.amount));
    await pressAtRandom({ ...world, amounts }, createRandom(seed));
    world.heal();
    const kept = await askForAll({ ...world, amounts });

    // The bets of the backend, by all of its answers.
    const { exchanges } = world.toSite;
    const bets = betsIn(exchanges);
    const reported = () => new Map(world.reports().map(({ reference, body }) => [reference, body.amount]));
    const most = mostBets(world.log, isOver);
    const made = [...bets.values()];
    for (const [stake, meant] of most) {
      const count = made.filter((one) => one === stake).length;
      expect(count, `the bets of ${stake}`).toBeGreaterThanOrEqual(1);
      expect(count, `the bets of ${stake}`).toBeLessThanOrEqual(meant);
    }

    expect(kept, 'a key of a bet that is placed').toEqual([]);
    await expect.poll(reported, PATIENCE).toEqual(bets);
    expect(world.reports()).toHaveLength(bets.size);
    expect(betsIn(exchanges.filter(({ isDelivered }) => isDelivered)), 'the bets that the page was told of').toEqual(
      bets,
    );

    // Each bet was sent with the same bytes, however often.
    const sent = () => new Set(world.toGateway.exchanges.map(({ body }) => body)).size;
    await expect.poll(sent).toBe(bets.size);

    // No other words, and none about another stake.
    const said = world.log.filter(({ what, text }) => what === 'says' && text !== WAIT && text !== '');
    const isRight = ({ text, stake }: Noted) =>
      others.some((words) => words === text) || (isOver.test(text) && (way !== 'page' || text.includes(` ${stake} `)));
    expect(said.filter((noted) => !isRight(noted))).toEqual([]);
    const first = said.filter(({ text }) => text.endsWith('is placed.'));
    // A double click shows the words of its bet again.
    const isRepeat = ({ at, document, stake }: Noted) =>
      first.some((one) => one.document === document && one.stake === stake && one.at < at && at - one.at < 1_500);
    expect(first.filter((noted) => !isRepeat(noted)).length).toBeLessThanOrEqual(bets.size);
  });
});
