import type { BrowserContext, Page } from 'playwright-core';

/** Something that a page showed, or that its player did, at a time of the machine in milliseconds. */
export interface Noted {
  readonly at: number;
  /** The number of the document: a reload makes another one. */
  readonly document: number;
  readonly what: 'press' | 'says';
  /** The stake of the press. */
  readonly stake: number;
  readonly text: string;
}

/** A document that is open in a tab. */
interface Open {
  readonly document: number;
  /** The stake whose press has no words yet. */
  waitsFor: number | undefined;
  /** The stakes that this document has pressed, and not yet said to be placed. */
  readonly open: Set<number>;
}

/** Notes the presses of all tabs, and their words. Call it before the first tab is opened. */
export async function notePresses(context: BrowserContext, { wait, isOver }: { wait: string; isOver: RegExp }) {
  const log: Noted[] = [];
  const opened = new Map<Page, Open>();
  let documents = 0;
  await context.exposeBinding('noteForTest', ({ page }, { what, ...noted }: Omit<Noted, 'document'>) => {
    const tab = opened.get(page);
    if (!tab) return;
    log.push({ ...noted, what, document: tab.document });
    if (what === 'press') {
      tab.open.add(noted.stake);
      tab.waitsFor = noted.stake;
    } else {
      if (noted.text !== wait) tab.waitsFor = undefined;
      if (isOver.test(noted.text)) tab.open.delete(noted.stake);
    }
  });
  await context.exposeBinding('openedForTest', ({ page }) => {
    documents += 1;
    opened.set(page, { document: documents, waitsFor: undefined, open: new Set() });
  });
  await context.addInitScript(() => {
    const { noteForTest, openedForTest } = window as unknown as {
      noteForTest(noted: object): void;
      openedForTest(): void;
    };
    openedForTest();
    let stake = 0;
    const note = (what: string, text: string) =>
      noteForTest({ at: performance.timeOrigin + performance.now(), what, stake, text });
    addEventListener(
      'submit',
      () => {
        stake = Number(document.querySelector('input')?.value);
        note('press', '');
      },
      true,
    );
    addEventListener('DOMContentLoaded', () => {
      const output = document.querySelector('output');
      if (output) new MutationObserver(() => note('says', output.value)).observe(output, { childList: true });
    });
  });
  return { log, of: (page: Page) => opened.get(page) };
}

/** Clocks of two tabs differ by less than this, in milliseconds. */
const TOLERANCE_MS = 50;
/** A press on a stake that was just placed is a double click. The page's own limit is longer. */
const QUIET_MS = 900;

/**
 * The most bets of each stake that the player can have meant. An intention begins with a press, and ends when a page
 * says that it is placed. Further presses on the same stake belong to it until then, in all tabs. A document whose
 * press is not placed yet goes on with the same intention, even if another tab says that it is placed.
 */
export function mostBets(log: readonly Noted[], isOver: RegExp): Map<number, number> {
  const most = new Map<number, number>();
  const began = new Map<number, number>();
  const going = new Set<string>();
  const last = new Map<number, Noted>();
  const inOrder = [...log].sort((one, other) => one.at - other.at);
  const placed = inOrder.filter(({ what, text }) => what === 'says' && isOver.test(text));
  for (const noted of inOrder) {
    const { at, document, stake } = noted;
    const name = `${document} ${stake}`;
    // A double click shows the words again, and does not lengthen the time for the next one.
    if (placed.includes(noted) && going.delete(name)) last.set(document, noted);
    if (noted.what === 'says' || going.has(name)) continue;
    const before = last.get(document);
    if (before?.stake === stake && at - before.at < QUIET_MS) continue;
    // After another content the same one is not a double click.
    last.delete(document);
    going.add(name);
    const since = began.get(stake);
    const isGoing =
      since !== undefined && !placed.some((one) => one.stake === stake && one.at > since && one.at < at + TOLERANCE_MS);
    if (isGoing) continue;
    began.set(stake, at);
    most.set(stake, (most.get(stake) ?? 0) + 1);
  }
  return most;
}
