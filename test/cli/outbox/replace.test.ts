import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { leaksIn, personalBet } from '../../outbox/personal.js';
import { copyOf, newFile, openStore } from '../../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../../outbox/world.js';
import { jsonOf, runCli } from '../../support/cli-in-process.js';
import { settledBet } from '../../support/factories.js';
import { newFolder } from '../../support/new-folder.js';

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.unstubAllEnvs());

const GATEWAY = 'https://gateway.example.com';
const client = { gateways: { staging: { baseUrl: GATEWAY, apiKey: 'mock-api-key' } } };
const location = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };
const bet = (reference: string) => `default:staging:reportBetEvent:${reference}`;
const settlement = (reference: string) => `default:staging:reportSettledBet:${reference}`;
const right = { ...personalBet('B-1'), amount: 7, timestamp: '1795161600', location };
const KEY = Buffer.alloc(32, 7).toString('base64');
const ENCRYPTION = { keys: { a: KEY }, current: 'a' };

let plain: string;
let sealed: string;

/** A file in which the gateway has refused B-1 and B-2; B-1 has a blocked settlement. */
async function makeFile(encryption?: typeof ENCRYPTION): Promise<string> {
  const file = newFile();
  const store = await openStore(file);
  const world = outboxWorld({ store, client, outbox: { ...(encryption && { encryption }) } });
  world.gateway.faults.add({ kind: 'status', status: 422, reference: 'B-1', times: 1 });
  world.gateway.faults.add({ kind: 'status', status: 422, reference: 'B-2', times: 1 });
  for (const reference of ['B-1', 'B-2']) await world.outbox.reportBetEvent(personalBet(reference));
  await world.outbox.reportSettledBet(settledBet({ bet_id: 'B-1' }));
  await world.run(world.outbox.drain());
  await store.close?.();
  return file;
}

beforeAll(async () => {
  [plain, sealed] = await Promise.all([makeFile(), makeFile(ENCRYPTION)]);
}, 60_000);

const folder = newFolder('replace');
const written = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

/** Runs a command on a copy, with the gateway in the environment variables. */
function begin(of = plain) {
  vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', GATEWAY);
  const file = copyOf(of);
  return {
    file,
    run: (words: readonly string[], stdin?: Parameters<typeof runCli>[1]) => runCli(['outbox', file, ...words], stdin),
  };
}

const because = ['--reason', 'the amount was in kobo'];

/** Sends what waits, and returns the amounts that the gateway then holds, with the log of receipts. */
async function send(file: string, encryption?: typeof ENCRYPTION) {
  const store = await openStore(file);
  const world = outboxWorld({ store, client, outbox: { ...(encryption && { encryption }) } });
  await world.run(world.outbox.drain());
  const amounts = world.gateway.reports().map(({ operation, body }) => [operation, body.amount]);
  await store.close?.();
  return amounts;
}

describe('outbox replace', () => {
  it('sends the data of a file under the reference, and then the settlement', async () => {
    const { file, run } = begin();
    const ended = await run(['replace', bet('B-1'), written('right.json', right), ...because]);
    expect(ended).toMatchObject({
      code: 0,
      out: `${bet('B-1')} has the corrected data, and waits to be sent\n`,
    });
    expect(leaksIn(ended.out + ended.err)).toEqual([]);
    expect(await send(file)).toEqual([
      ['reportBetEvent', 7],
      ['reportSettledBet', undefined],
    ]);
    const log = jsonOf((await run(['export'])).out);
    expect(log.find(({ id }) => id === bet('B-1'))).toMatchObject({
      decisions: [
        { action: 'replaced', reason: 'the amount was in kobo', by: expect.stringContaining('(command line)') },
      ],
    });
    expect((await run(['verify'])).code).toBe(0);
    const shown = (await run(['show', bet('B-1')])).out;
    expect(shown).toMatch(/decided {5}replaced, .*: the\s+amount was in kobo/);
  });

  it('writes no second decision for the same data', async () => {
    const { run } = begin();
    const file = written('right.json', right);
    await run(['replace', bet('B-1'), file, ...because]);
    expect(await run(['replace', bet('B-1'), file, ...because])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`replace: ${bet('B-1')}: it has this data already; retry sends it again.`),
    });
    const [{ decisions }] = jsonOf((await run(['show', bet('B-1'), '--json'])).out);
    expect(decisions).toHaveLength(1);
  });

  it('corrects a settlement that waits before its initiated report, so that neither is sent with the wrong amount', async () => {
    const { file, run } = begin();
    const settled = written('settled.json', settledBet({ bet_id: 'B-1', ggr: 4 }));
    expect((await run(['show', settlement('B-1')])).out).toContain(
      `  - its data is wrong; with a file of the corrected data:\n      npx location-sdk outbox ${file} replace ${settlement('B-1')} corrected.json`,
    );
    expect(await run(['replace', 'B-1', settled, ...because, '--operation', 'reportSettledBet'])).toMatchObject({
      code: 0,
      out: `${settlement('B-1')} has the corrected data, and waits to be sent\n`,
    });
    // The reference alone names the refused report.
    expect((await run(['replace', 'B-1', written('right.json', right), ...because])).out).toContain(bet('B-1'));
    const store = await openStore(file);
    const world = outboxWorld({ store, client });
    await world.run(world.outbox.drain());
    expect(world.gateway.reports().map(({ body }) => [body.amount, body.ggr])).toEqual([
      [7, undefined],
      [undefined, 4],
    ]);
    await store.close?.();
  });

  it('reads standard input, and needs the options of an outbox that encrypts', async () => {
    const { file, run } = begin(sealed);
    const refused = await run(['replace', bet('B-1'), '-', ...because], JSON.stringify(right));
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('are encrypted') });
    const options = written('options.mjs', `export const outbox = { encryption: ${JSON.stringify(ENCRYPTION)} };`);
    const ended = await run(
      ['replace', bet('B-1'), '-', ...because, '--options', options, '--json'],
      JSON.stringify(right),
    );
    expect(ended.code).toBe(0);
    expect(jsonOf(ended.out)).toEqual([{ id: bet('B-1'), done: true, state: 'waiting' }]);
    expect(await send(file, ENCRYPTION)).toContainEqual(['reportBetEvent', 7]);
  });

  it('reads a file exactly as it is written, or refuses it', async () => {
    const { file, run } = begin();
    const named = { ...right, user: { ...right.user, first_name: 'Adé' } };
    const json = JSON.stringify(named);
    const before = await run(['show', bet('B-1'), '--json']);
    for (const [content, why] of [
      [Buffer.from(json, 'latin1'), 'is not UTF-8 text'],
      [Buffer.from(json, 'utf16le'), 'is not UTF-8 text'],
      [json.replace('"amount":7', '"amount":7,"amount":700'), 'contains the name of a member twice'],
      [json.replace('"amount":7', '"amount":7.123456789012345678'), 'contains a number with too many digits'],
    ] as const) {
      const path = join(folder, 'odd.json');
      writeFileSync(path, content);
      const { code, err } = await run(['replace', bet('B-1'), path, ...because]);
      expect([code, err]).toEqual([2, expect.stringContaining(`odd.json ${why}`)]);
    }
    expect(await run(['show', bet('B-1'), '--json'])).toEqual(before);

    const bytes = Buffer.from(`\ufeff${json}`);
    const within = bytes.indexOf(Buffer.from('é')) + 1;
    const pieces = [bytes.subarray(0, within), bytes.subarray(within)];
    expect(await run(['replace', bet('B-1'), '-', ...because], pieces)).toMatchObject({ code: 0 });
    const store = await openStore(file);
    expect((await store.get([bet('B-1')]))[0]?.body).toContain('"first_name":"Adé"');
    await store.close?.();
  });

  it('refuses wrong calls and data, shows no personal data, and changes nothing', async () => {
    const { file, run } = begin();
    const good = written('right.json', right);
    const before = await run(['show', bet('B-1'), '--json']);
    const wrong: [readonly string[], number, RegExp][] = [
      [['replace', bet('B-1'), good], 2, /replace needs --reason/],
      [['replace', bet('B-1'), ...because], 2, /replace needs a report and a file with the corrected data/],
      [['replace', bet('B-1'), written('x.json', '{"user":'), ...because], 2, /x\.json is not JSON/],
      [['replace', bet('B-1'), join(folder, 'none.json'), ...because], 2, /none\.json cannot be read \(ENOENT\)/],
      [['replace', bet('B-2'), good, ...because], 1, /expected the data of default:staging:reportBetEvent:B-2/],
      [['replace', bet('B-1'), written('n.json', { ...right, amount: 'x' }), ...because], 1, /amount/],
      [['replace', settlement('B-1'), good, ...because], 1, /the corrected data cannot be reported/],
      [['replace', 'B-9', good, ...because], 1, /has no report B-9/],
    ];
    for (const [words, code, message] of wrong) {
      const ended = await run(words);
      expect([ended.code, ended.err], words.join(' ')).toEqual([code, expect.stringMatching(message)]);
      expect(leaksIn(ended.out + ended.err)).toEqual([]);
    }
    vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', 'https://other.example.com');
    expect(await run(['replace', bet('B-1'), good, ...because])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`go to ${GATEWAY}`),
    });
    expect(await runCli(['outbox', file, 'show', bet('B-1'), '--json'])).toEqual(before);
  });

  it('is named by show where it is possible', async () => {
    const { run } = begin();
    const { out } = await run(['show', bet('B-1')]);
    expect(out).toContain('its data is wrong; with a file of the corrected data:');
    expect(out).toContain(`Its settlement ${settlement('B-1')} is then sent as it is.`);
    expect((await run(['show', bet('B-2')])).out).not.toContain('settlement');
    expect(out).toContain(`replace ${bet('B-1')} corrected.json --reason "…"`);
    expect(out).toContain('The gateway refused it and does not have it. Choose one:');
    expect(out).not.toContain('under a new');
  });
});

describe('outbox reopen', () => {
  const mistake = ['--reason', 'the wrong bets'];
  const states = async (run: ReturnType<typeof begin>['run'], ...ids: string[]) =>
    Promise.all(ids.map(async (id) => jsonOf((await run(['show', id, '--json'])).out)[0].state));

  it('takes back the dismissal of one report, with its settlement', async () => {
    const { run } = begin();
    await run(['resolve', bet('B-1'), '--as', 'dismissed', '--with-settlement', '--reason', 'a test']);
    expect(await states(run, bet('B-1'), settlement('B-1'))).toEqual(['dismissed', 'dismissed']);
    expect((await run(['show', bet('B-1')])).out).toContain(`reopen ${bet('B-1')} --reason "…"`);
    expect(await run(['reopen', bet('B-1'), ...mistake])).toMatchObject({
      code: 0,
      out: `${bet('B-1')} is reopened\n${settlement('B-1')} is reopened\n`,
    });
    expect(await states(run, bet('B-1'), settlement('B-1'))).toEqual(['quarantined', 'waiting']);
  });

  it('takes a reference for the initiated report that was dismissed with its settlement', async () => {
    const { run } = begin();
    await run(['resolve', bet('B-1'), '--as', 'dismissed', '--with-settlement', '--reason', 'a test']);
    expect(await run(['reopen', 'B-1', ...mistake])).toMatchObject({
      code: 0,
      out: `${bet('B-1')} is reopened\n${settlement('B-1')} is reopened\n`,
    });
  });

  it('takes back all dismissals of one decision, which show names', async () => {
    const { run } = begin();
    await run(['resolve', '--all', '--yes', '--code', 'unprocessable', '--as', 'dismissed', '--reason', 'a test']);
    const [, decision = ''] = /reopen --decision (\S+)/.exec((await run(['show', bet('B-1')])).out) ?? [];
    expect(await run(['reopen', '--decision', decision, ...mistake])).toMatchObject({
      code: 0,
      out: 'Reopened: 2 of 2 reports.\n',
    });
    expect(await states(run, bet('B-1'), bet('B-2'))).toEqual(['quarantined', 'quarantined']);
    expect(await run(['reopen', '--decision', decision, ...mistake])).toMatchObject({
      code: 1,
      err: expect.stringContaining('already undone'),
    });
    expect(await run(['verify'])).toMatchObject({ code: 0 });
  });

  it('says why reports of a decision stay dismissed', async () => {
    const { run } = begin();
    await run(['resolve', '--all', '--yes', '--code', 'unprocessable', '--as', 'dismissed', '--reason', 'a test']);
    const [, decision = ''] = /reopen --decision (\S+)/.exec((await run(['show', bet('B-1')])).out) ?? [];
    await run(['player', personalBet('B-1').user.user_id, '--erase', '--reason', 'a request']);
    expect(await run(['reopen', '--decision', decision, ...mistake])).toMatchObject({
      out: 'Reopened: 0 of 2 reports. The others stay as they are:\n  2 × its data was deleted, so it cannot be sent; replace it with the data\n',
    });
  });

  it('refuses a report that is not dismissed, a wrong decision and a missing reason', async () => {
    const { run } = begin();
    expect(await run(['reopen', bet('B-1'), ...mistake])).toMatchObject({
      code: 1,
      err: expect.stringContaining('it is quarantined; only a dismissed report can be reopened'),
    });
    expect(await run(['reopen', bet('B-1')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('reopen needs --reason'),
    });
    expect(await run(['reopen', ...mistake])).toMatchObject({ code: 2 });
    expect(await run(['reopen', '--decision', 'none', ...mistake])).toMatchObject({
      code: 1,
      err: expect.stringContaining('none is not the decision of a dismissal or a retry'),
    });
    expect(await run(['reopen', bet('B-1'), '--decision', 'none', ...mistake])).toMatchObject({ code: 2 });
  });
});
