/** Code for a page that damages records of the IndexedDB store, and checks how an outbox reacts. Bundled by the tests. */

import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox } from '../../src/entries/outbox.js';
import { indexedDbStore } from '../../src/entries/outbox-indexeddb.js';
import { betEvent } from '../support/factories.js';

/** The path to the damaged part: the table, the key, and the member names. */
export type Place = readonly [table: 'rows' | 'log' | 'meta', key: string | number, ...path: string[]];

const MISSING = Symbol('missing');
const loop: unknown[] = [];
loop.push(loop);
const WRONG: Readonly<Record<string, unknown>> = {
  ...{ missing: MISSING, undefined: undefined, null: null, text: 'zz', empty: '', object: { zz: 1 }, list: [], loop, yes: true },
  ...{ negative: -1, fraction: 0.5, huge: 1.5e300, whole: Number.MAX_SAFE_INTEGER, NaN: Number.NaN, bigint: 2n ** 70n, date: new Date(0) },
};
export const wrongValues = Object.keys(WRONG);

/** Time runs faster, so that no test waits long for a lease. */
const SPEED = 20;
const began = Date.now();
const clock = {
  now: () => began + (Date.now() - began) * SPEED,
  setTimeout: (callback: () => void, milliseconds: number) => window.setTimeout(callback, milliseconds / SPEED),
  clearTimeout: (timer: unknown) => window.clearTimeout(timer as number),
};

async function world(name: string, gateway = createMockGateway()) {
  const store = await indexedDbStore({ name, clock, timeoutMs: 10_000 * SPEED, persist: false });
  const client = createClient({
    ...gateway.clientOptions(),
    fetch: (url, init) => gateway.fetch(url, init as object),
    clock,
    allowApiKeyInBrowser: true,
    location: { ip: { enabled: false } },
  });
  const outbox = createOutbox({ client, store, leaseMs: 60_000 });
  const errors: string[] = [];
  outbox.on('error', ({ cause }) => errors.push(String(cause)));
  return { store, outbox, gateway, errors };
}

const ask = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

type Members = Record<string, unknown>;

/** Writes a wrong value into one member of one record, as another script of the page or a failing disk may do. */
async function spoil(database: IDBDatabase, [table, key, ...path]: Place, value: unknown): Promise<void> {
  const records = database.transaction(table, 'readwrite').objectStore(table);
  const record: Members = await ask(records.get(key));
  const last = path.pop();
  if (last === undefined) {
    if (value === MISSING) await ask(records.delete(key));
    else await ask(records.put(value, key));
    return;
  }
  const holder = path.reduce((at, member) => at[member] as Members, record);
  if (value === MISSING) delete holder[last];
  else holder[last] = value;
  const isKey = table === 'log' ? last === 'index' : table === 'rows' && last === 'id';
  if (isKey) await ask(records.delete(key));
  // A record without a key cannot be stored, so that damage is skipped.
  try {
    await ask(table === 'meta' ? records.put(record, key) : records.put(record));
  } catch (error) {
    if (!isKey) throw error;
    records.transaction.abort();
  }
}

const BETS = ['B-0', 'B-1', 'B-2'];
const bet = (bet_id: string) => ({ operation: 'reportBetEvent', payload: { ...betEvent({ bet_id }), location: { latitude: 6.4, longitude: 7.5 } } }) as const;

/** Makes a database with recorded and waiting bets, damages it, and sends the rest. Returns the problems apart from the damaged rows. */
async function drainDamaged(name: string, damages: readonly (readonly [Place, string])[]): Promise<string[]> {
  const first = await world(name);
  await first.outbox.reportAll([bet('B-0'), ...damages.map((_, index) => bet(`B-old-${index}`))]);
  await first.outbox.drain();
  await first.outbox.reportAll([...damages.map((_, index) => bet(`B-new-${index}`)), bet('B-1'), bet('B-2')]);
  await first.store.close?.();

  const database = await ask(indexedDB.open(name));
  for (const [place, value] of damages) await spoil(database, place, WRONG[value]);
  const { store, outbox, errors } = await world(name, first.gateway);
  await outbox.drain({ timeoutMs: 200_000 });
  const rows = await store.list({ limit: 1_000 });
  const found: Record<string, number> = {};
  for (const { state } of rows) found[state] = (found[state] ?? 0) + 1;
  for await (const { id } of outbox.iterate()) await outbox.get(id);
  const lines: Members[] = await ask(database.transaction('log').objectStore('log').getAll());
  const logged = lines.map(({ id }) => id);
  const { states } = await store.counts();
  database.close();
  await store.close?.();

  const isRecorded = (reference: string) => rows.some((row) => row.reference === reference && row.state === 'recorded');
  const isLineDamaged = damages.some(([[table]]) => table === 'log');
  const expected = 2 * damages.length + BETS.length;
  return [
    ...BETS.filter((reference) => !isRecorded(reference)).map((reference) => `${reference} is not recorded`),
    ...rows
      .filter(({ state, problem }) => state !== 'recorded' && !(state === 'quarantined' && problem?.code === 'damaged'))
      .map(({ id, state }) => `${id} is ${state}`),
    ...(rows.length === expected ? [] : [`${rows.length} rows are listed, expected ${expected}`]),
    ...rows
      .filter(({ id, state, problem }) => state === 'recorded' && !problem && !isLineDamaged && logged.filter((one) => one === id).length !== 1)
      .map(({ id }) => `${id} has no receipt, or two`),
    ...Object.entries(states)
      .filter(([state, count]) => count !== (found[state] ?? 0))
      .map(([state, count]) => `${count} are counted as ${state}, ${found[state] ?? 0} are listed`),
    ...errors,
  ];
}

const idOf = (reference: string) => `default:staging:reportBetEvent:${reference}`;

/** Each wrong value in that member of waiting bets, and of recorded ones. Each of the two uses one database for all values. */
async function damageRows(path: readonly string[]): Promise<string[]> {
  const places = (kind: string) => wrongValues.map((value, index) => [['rows', idOf(`B-${kind}-${index}`), ...path], value] as const);
  return [...(await drainDamaged(`new ${path}`, places('new'))), ...(await drainDamaged(`old ${path}`, places('old')))];
}

/** Each wrong value in that member, in a separate database. */
async function damageOne(place: Place): Promise<Record<string, readonly string[]>> {
  const all = await Promise.all(
    wrongValues.map(async (value) => {
      const trouble = await drainDamaged(`${place} ${value}`, [[place, value]]).catch((error: unknown) => [`thrown: ${error}`]);
      return [value, [...new Set(trouble)]] as const;
    }),
  );
  return Object.fromEntries(all.filter(([, trouble]) => trouble.length > 0));
}

/** The member names of each record, as a database holds them. */
async function recordsOf(): Promise<Record<string, Members>> {
  const name = 'whole';
  const { outbox, store } = await world(name);
  await outbox.reportAll([bet('B-0')]);
  await outbox.drain();
  await store.close?.();
  const database = await ask(indexedDB.open(name));
  const tables = database.transaction(['rows', 'log', 'meta']);
  const found = {
    row: await ask(tables.objectStore('rows').get(idOf('B-0'))),
    line: await ask(tables.objectStore('log').get(0)),
    totals: await ask(tables.objectStore('meta').get('totals')),
    destination: await ask(tables.objectStore('meta').get('destination:default:staging')),
  };
  database.close();
  return found;
}

export const DamagePage = { damageRows, damageOne, recordsOf };

Object.assign(globalThis, { DamagePage });
