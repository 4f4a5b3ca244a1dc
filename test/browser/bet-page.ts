import type { BrowserContext, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { delayGeolocation, grantGeolocation } from './geolocation.js';

/**
 * Drives a page that places a bet as players press: too often, without an answer, in two tabs. The page has a field
 * "Stake", a button and a text with the role status. Its backend answers `/bets` of this page with `{ bet_id }`, and
 * each bet is reported: by the backend, or by the page through a relay.
 */
export interface BetWorld {
  readonly context: BrowserContext;
  readonly url: string;
  /** The amounts of the reports at the gateway. */
  amounts(): Promise<readonly number[]>;
  /** The stakes of the bets at the backend, if the page reports them: a bet without a report would not be seen. */
  readonly bets?: () => readonly number[];
  /** The words for a bet that is placed, and for one whose first answer did not come. Default: the tutorial's. */
  readonly words?: { placed(stake: number): string; placedBefore(stake: number): string };
}

const TUTORIAL: NonNullable<BetWorld['words']> = {
  placed: (stake) => `Your bet of ${stake} is placed.`,
  placedBefore: (stake) => `Your bet of ${stake} was placed before.`,
};
const placed = ({ words = TUTORIAL }: BetWorld, stake = 1500) => words.placed(stake);
const placedBefore = ({ words = TUTORIAL }: BetWorld, stake = 1500) => words.placedBefore(stake);

export const PLACED = TUTORIAL.placed(1500);
export const NO_ANSWER = 'We do not know yet whether this went through. Ask again: it cannot count twice.';
export const WAIT = 'One moment, please.';
const LOADING = 'One moment. If this text stays, contact support.';

export const stakeOf = (page: Page) => page.getByLabel('Stake');
export const buttonOf = (page: Page) => page.getByRole('button');
const statusOf = (page: Page) => page.getByRole('status');

/** The page in a tab of its own, ready for a stake. */
export async function openBet({ context, url }: BetWorld): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await expect.poll(() => buttonOf(page).isEnabled()).toBe(true);
  return page;
}

/** Presses the button's place on the screen, whether it is enabled or not. */
export async function pressAt(page: Page): Promise<() => Promise<void>> {
  const box = await buttonOf(page).boundingBox();
  if (!box) throw new Error('The page shows no button.');
  return () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

export async function bet(page: Page, stake = 1500): Promise<void> {
  await stakeOf(page).fill(String(stake));
  await buttonOf(page).click();
}

/** The end of a press: the words, and a button that can be pressed. The focus is on the button, or on the field. */
export async function ended(page: Page, words: string | string[], focus = ['button']): Promise<void> {
  await expect.poll(() => statusOf(page).innerText(), { timeout: 20_000 }).toBeOneOf([words].flat());
  expect(await buttonOf(page).isEnabled()).toBe(true);
  expect(focus).toContain(await page.evaluate(() => document.activeElement?.localName));
}

const once = (context: BrowserContext, answer: (route: Route) => unknown) =>
  context.route('**/bets', async (route) => void (await answer(route)), { times: 1 });

const late = (context: BrowserContext, milliseconds: number) =>
  context.route('**/bets', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    // The tab may be closed meanwhile.
    await route.continue().catch(() => undefined);
  });

/** The backend gets the request, and the page no answer. */
export const answerLost = async (route: Route) => {
  // Again if the server had just closed the connection.
  await route.fetch({ maxRetries: 2, timeout: 10_000 });
  await route.abort('connectionreset');
};

type Case = (world: BetWorld) => Promise<void>;

const settled = async (world: BetWorld, amounts: readonly number[]) => {
  const inOrder = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other);
  await expect.poll(async () => inOrder(await world.amounts()), { timeout: 20_000 }).toEqual(amounts);
  if (world.bets) expect(inOrder(world.bets())).toEqual(amounts);
};

/** Two presses at this distance, with this delay of the network, are one bet. */
export async function pressTwice(world: BetWorld, apartMs: number, latencyMs: number): Promise<void> {
  if (latencyMs > 0) await late(world.context, latencyMs);
  const page = await openBet(world);
  const press = await pressAt(page);
  await stakeOf(page).fill('1500');
  await press();
  await page.waitForTimeout(apartMs);
  await press();
  // A press without a stake leads to the field.
  await ended(page, placed(world), ['button', 'input']);
  expect(await stakeOf(page).inputValue()).toBe('');
  await page.waitForTimeout(300);
  await settled(world, [1500]);
}

/** A browser or a web view may keep a site from its storage. */
const STORAGE: Readonly<Record<string, () => void>> = {
  forbidden: () => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
  },
  full: () => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    };
  },
  'no (null)': () => {
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { value: null });
  },
};

/** The same table for each page that people copy. */
export const CASES: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    [0, 150].flatMap((latencyMs) =>
      [60, 150, 300, 600, 900].map((apartMs): [string, Case] => [
        `two presses ${apartMs} ms apart, with ${latencyMs} ms of latency, are one bet`,
        (world) => pressTwice(world, apartMs, latencyMs),
      ]),
    ),
  ),

  async 'one press places one bet, spends the slip and keeps the focus'(world) {
    const page = await openBet(world);
    await bet(page);
    await ended(page, placed(world));
    expect(await stakeOf(page).inputValue()).toBe('');
    // Without a stake the browser refuses the press.
    await buttonOf(page).click();
    await bet(page, 700);
    await ended(page, placed(world, 700));
    // The same stake again is another intention.
    await bet(page);
    await ended(page, placed(world));
    await settled(world, [700, 1500, 1500]);
  },

  async 'a page whose script is still on its way says so, and cannot be pressed'(world) {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await world.context.route('**/*.js', async (route) => {
      await held;
      await route.continue();
    });
    const page = await world.context.newPage();
    await page.goto(world.url, { waitUntil: 'commit' });
    await expect.poll(() => page.locator('body').innerText()).toContain(LOADING);
    expect(await page.getByRole('button', { disabled: false }).count()).toBe(0);
    release();
    await expect.poll(() => buttonOf(page).isEnabled()).toBe(true);
    expect(await page.locator('body').innerText()).not.toContain(LOADING);
    await bet(page);
    await ended(page, placed(world));
    await settled(world, [1500]);
  },

  async 'five presses and the Enter key while the backend is slow are one bet'(world) {
    await late(world.context, 3_000);
    const page = await openBet(world);
    const press = await pressAt(page);
    await stakeOf(page).fill('1500');
    await stakeOf(page).press('Enter');
    for (let presses = 0; presses < 5; presses += 1) {
      await press();
      await page.keyboard.press('Enter');
      await page.waitForTimeout(100);
    }
    expect(await statusOf(page).innerText()).toBe(WAIT);
    expect(await buttonOf(page).isDisabled()).toBe(true);
    await ended(page, placed(world));
    await settled(world, [1500]);
  },

  async 'an answer that is lost leaves no second bet, also after a reload'(world) {
    const page = await openBet(world);
    await once(world.context, answerLost);
    await bet(page);
    await ended(page, NO_ANSWER);
    await once(world.context, answerLost);
    await buttonOf(page).click();
    await ended(page, NO_ANSWER);
    await page.reload();
    await bet(page);
    await ended(page, placedBefore(world));
    await settled(world, [1500]);
  },

  async 'a failure of the backend is shown in its words, and the next press is the same bet'(world) {
    const page = await openBet(world);
    for (const [status, message] of [
      [401, 'You are logged out. Log in, and try again.'],
      [402, 'Your balance is too low.'],
      [503, 'The service is busy.'],
    ] as const) {
      await once(world.context, (route) => route.fulfill({ status, json: { message } }));
      await bet(page);
      await ended(page, message);
      expect(await stakeOf(page).inputValue()).toBe('1500');
    }
    await buttonOf(page).click();
    await ended(page, placed(world));
    await settled(world, [1500]);
  },

  async 'another stake after each failure is another bet, with its own words'(world) {
    const page = await openBet(world);
    await once(world.context, (route) => route.fulfill({ status: 503, json: { message: 'The service is busy.' } }));
    await bet(page, 100);
    await ended(page, 'The service is busy.');
    await once(world.context, (route) => route.abort('internetdisconnected'));
    await bet(page, 200);
    await ended(page, NO_ANSWER);
    await once(world.context, answerLost);
    await bet(page, 300);
    await ended(page, NO_ANSWER);
    await bet(page);
    await ended(page, placed(world));
    // Its answer was lost: it is placed, and stays one bet.
    await bet(page, 300);
    await ended(page, placedBefore(world, 300));
    await settled(world, [300, 1500]);
  },

  async 'an answer that is not the backend’s own places nothing'(world) {
    const page = await openBet(world);
    for (const body of ['<html>Log in to the network</html>', 'null', '[]', '{}', '"ok"', '']) {
      await once(world.context, (route) => route.fulfill({ status: 200, contentType: 'text/html', body }));
      await bet(page);
      await ended(page, NO_ANSWER);
    }
    await settled(world, []);
    await buttonOf(page).click();
    await ended(page, placed(world));
    await settled(world, [1500]);
  },

  async 'without a network nothing is placed, and one bet when it is back'(world) {
    const page = await openBet(world);
    await world.context.setOffline(true);
    await bet(page);
    await ended(page, NO_ANSWER);
    await buttonOf(page).click();
    await ended(page, NO_ANSWER);
    await world.context.setOffline(false);
    await buttonOf(page).click();
    await ended(page, placed(world));
    await settled(world, [1500]);
  },

  async 'a page that is reloaded, left or closed while it waits places one bet'(world) {
    await late(world.context, 1_000);
    const page = await openBet(world);
    await bet(page);
    await page.reload();
    await bet(page);
    await page.goto('about:blank');
    await page.goBack();
    await expect.poll(() => buttonOf(page).isEnabled()).toBe(true);
    await bet(page);
    await page.close();
    const next = await openBet(world);
    await bet(next);
    await ended(next, [placed(world), placedBefore(world)]);
    await settled(world, [1500]);
  },

  async 'two tabs that ask for the same bet at once place one'(world) {
    const tabs = [await openBet(world), await openBet(world)];
    let asked = 0;
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    await world.context.route('**/bets', async (route) => {
      asked += 1;
      await gate;
      await route.continue();
    });
    for (const [index, tab] of tabs.entries()) {
      await tab.bringToFront();
      await bet(tab);
      await expect.poll(() => asked).toBe(index + 1);
    }
    go();
    for (const tab of tabs) {
      await tab.bringToFront();
      await expect
        .poll(() => statusOf(tab).innerText(), { timeout: 20_000 })
        .toBeOneOf([placed(world), placedBefore(world)]);
    }
    await settled(world, [1500]);
  },

  async 'a tab that still looks for its position, while another one places the bet, places no second'(world) {
    const slow = await world.context.newPage();
    await delayGeolocation(slow, 2_000);
    await slow.goto(world.url);
    await expect.poll(() => buttonOf(slow).isEnabled()).toBe(true);
    const quick = await openBet(world);
    await slow.bringToFront();
    await bet(slow);
    await quick.bringToFront();
    await bet(quick);
    await ended(quick, placed(world));
    await expect.poll(() => statusOf(slow).innerText(), { timeout: 20_000 }).toBe(placedBefore(world));
    await settled(world, [1500]);
  },

  async 'a denied location, and one that the player never answers, still place the bet'(world) {
    await world.context.clearPermissions();
    await world.context.grantPermissions([]);
    const page = await openBet(world);
    await bet(page);
    await ended(page, placed(world));
    await grantGeolocation(world.context);
    await world.context.addInitScript(() => {
      Geolocation.prototype.getCurrentPosition = () => void Object.assign(window, { wasAsked: true });
    });
    await page.clock.install();
    await page.reload();
    await bet(page, 200);
    await expect.poll(() => page.evaluate(() => 'wasAsked' in window)).toBe(true);
    await page.clock.fastForward(9_000);
    expect(await statusOf(page).innerText()).toBe(WAIT);
    await page.clock.fastForward(1_500);
    await ended(page, placed(world, 200));
    await settled(world, [200, 1500]);
  },

  async 'a tab in doubt, beside one that has placed the bet and places the next, asks for its own'(world) {
    const doubtful = await openBet(world);
    await once(world.context, answerLost);
    await bet(doubtful);
    await ended(doubtful, NO_ANSWER);
    const other = await openBet(world);
    await bet(other);
    await ended(other, placedBefore(world));
    await doubtful.bringToFront();
    await buttonOf(doubtful).click();
    await ended(doubtful, placedBefore(world));
    await settled(world, [1500]);
  },

  async 'a backend that never answers gives the button back after 30 s, and the next press is the same bet'(world) {
    const page = await world.context.newPage();
    await page.clock.install();
    await page.goto(world.url);
    await expect.poll(() => buttonOf(page).isEnabled()).toBe(true);
    let asked = 0;
    await page.route('**/bets', () => {
      asked += 1;
    });
    await bet(page);
    await expect.poll(() => asked).toBe(1);
    await page.clock.fastForward(29_000);
    expect(await statusOf(page).innerText()).toBe(WAIT);
    await page.clock.fastForward(1_500);
    await ended(page, NO_ANSWER);
    await page.unroute('**/bets');
    await buttonOf(page).click();
    await ended(page, placed(world));
    await settled(world, [1500]);
  },

  ...Object.fromEntries(
    Object.entries(STORAGE).map(([what, spoil]): [string, Case] => [
      `with ${what} storage the page still places one bet`,
      async (world) => {
        await world.context.addInitScript(spoil);
        const page = await openBet(world);
        await once(world.context, answerLost);
        await bet(page);
        await ended(page, NO_ANSWER);
        await buttonOf(page).click();
        await ended(page, placedBefore(world));
        await settled(world, [1500]);
      },
    ]),
  ),
};
