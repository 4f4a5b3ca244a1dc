// @module-tag slow: damages each member of each record.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { sampleOf } from '../support/cases.js';
import { test } from './browser-test.js';
import type { Place } from './damaged-records-page.js';
import { bundlePage } from './outbox-script.js';

declare const DamagePage: typeof import('./damaged-records-page.js').DamagePage;

// Another script of the page, or a failing disk, writes a wrong value into one member of a record. Every other report
// is recorded, and the damaged one is recorded or shown as damaged.

let script: string;
beforeAll(async () => {
  script = await bundlePage('damaged-records-page.ts');
});

async function openPage(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/empty`);
  await page.addScriptTag({ content: script });
}

const ROW = [
  ...(['id', 'account', 'sequence', 'environment', 'operation', 'reference', 'waitsFor', 'state', 'blocked', 'fence', 'attempts', 'inDoubt'] as const),
  ...(['doubtBefore', 'enqueuedAt', 'dueAt', 'changedAt', 'outcome', 'message', 'problem', 'decisions', 'fingerprint', 'body', 'requestId'] as const),
];
const RECORD = [...['due', 'open', 'unlogged'].map((name) => [name]), ...ROW.map((name) => ['row', name])];

const LINE = ['index', 'id', 'line'];
const STATES = ['waiting', 'blocked', 'in-flight', 'recorded', 'quarantined', 'dismissed'];
const TOTALS = [
  [],
  ['sequence'],
  ['counted'],
  ['counted', 'default'],
  ['counted', 'default', 'attempts'],
  ['counted', 'default', 'states'],
  ...STATES.map((state) => ['counted', 'default', 'states', state]),
];
const PAUSE = ['account', 'environment', 'version', 'reason', 'message', 'since', 'strikes', 'until', 'remainingMs'];
const DESTINATION = [[], ...['account', 'environment', 'gateway', 'rebound', 'pause'].map((name) => [name]), ...PAUSE.map((name) => ['pause', name])];

const OTHERS: Place[] = [
  ...LINE.map((name): Place => ['log', 0, name]),
  ...TOTALS.map((path): Place => ['meta', 'totals', ...path]),
  ...DESTINATION.map((path): Place => ['meta', 'destination:default:staging', ...path]),
];

/** The outbox's messages about damage that it can only show: it sends all reports, or none of that destination. */
const SAID = /^(?:Error: The last line of the log of receipts is damaged|thrown: ConfigurationError: The reports in this store .* rebind)/;

describe('a wrong value in IndexedDB', { timeout: 120_000 }, () => {
  test('is tried in every member of every record', async ({ page, site }) => {
    await openPage(page, site.url);
    const { row, line, totals, destination } = await page.evaluate(() => DamagePage.recordsOf());
    expect(Object.keys(row ?? {}).sort()).toEqual(['due', 'open', 'row', 'unlogged']);
    expect(Object.keys(row?.row ?? {}).sort()).toEqual([...ROW].sort());
    expect(Object.keys(line ?? {}).sort()).toEqual([...LINE].sort());
    expect(Object.keys(totals ?? {}).sort()).toEqual(['counted', 'sequence']);
    expect(Object.keys(destination ?? {}).sort()).toEqual(['account', 'environment', 'gateway', 'pause', 'rebound']);
    expect(Object.keys(destination?.pause ?? {}).sort()).toEqual([...PAUSE].sort());
  });

  test.for(sampleOf('members of a damaged report in IndexedDB', RECORD))('in a report: %s %s', async (path, { page, site }) => {
    await openPage(page, site.url);
    const found = await page.evaluate((path) => DamagePage.damageRows(path), path);
    // An opening reads no final row: one with an unreadable state is listed as quarantined, and still counted as recorded.
    expect(found.filter((one) => !(path.includes('state') && one.includes('are counted')))).toEqual([]);
  });

  test.for(sampleOf('members of other damaged records in IndexedDB', OTHERS))('in %s %s %s %s %s %s', async (place, { page, site }) => {
    await openPage(page, site.url);
    const found = await page.evaluate((place) => DamagePage.damageOne(place), place);
    const unsaid = Object.entries(found).filter(([, trouble]) => trouble.some((one) => !SAID.test(one)));
    expect(Object.fromEntries(unsaid)).toEqual({});
  });
});
