// The speed of an address lookup in a database file, compared with one HTTP request to a service on loopback. The
// database comes from the tests' writer, with names in eight languages like MaxMind's.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'maxmind';
import { Reader } from 'mmdb-lib';
import { createClient, geojs } from '../dist/index.js';
import { mmdb } from '../dist/location-mmdb.js';
import { writeMmdb } from '../test/support/write-mmdb.js';
import { compareHere, resultOf, table } from './measure.js';
import { sizeOf } from './options.js';
import { startProcess } from './process.js';
import { judge, promises, tell } from './promises.js';
import { whole } from './words.js';

const NETWORKS = sizeOf(20_000, 1_000);
/** As many networks as the players of a busy minute may use. */
const VISITED = 1_000;
const LANGUAGES = ['de', 'en', 'es', 'fr', 'ja', 'pt-BR', 'ru', 'zh-CN'];

const names = (/** @type {string} */ place) =>
  Object.fromEntries(LANGUAGES.map((language) => [language, `${place} (${language})`]));
const country = { geoname_id: 1, iso_code: 'NG', names: names('Nigeria') };
const continent = { code: 'AF', geoname_id: 2, names: names('Africa') };
const record = (/** @type {number} */ index) => ({
  city: { geoname_id: index, names: names(`City ${index}`) },
  continent,
  country,
  location: {
    accuracy_radius: 20,
    latitude: 6 + index / 9_999,
    longitude: 3 + index / 9_999,
    time_zone: 'Africa/Lagos',
  },
  registered_country: country,
  subdivisions: [{ geoname_id: 3, iso_code: 'LA', names: names('Lagos') }],
});
const address = (/** @type {number} */ index, host = 7) => `102.${index >> 8}.${index & 255}.${host}`;
const every = Array.from({ length: NETWORKS }, (_, index) => address((index * 7_919) % NETWORKS));
const visited = every.slice(0, VISITED);

const folder = await mkdtemp(join(tmpdir(), 'location-sdk-bench-'));
const file = join(folder, 'places.mmdb');
await writeFile(
  file,
  writeMmdb(Object.fromEntries(every.map((_, index) => [`${address(index, 0)}/24`, record(index)]))),
);
const service = await startProcess(new URL('lookup-service.js', import.meta.url));

try {
  const bare = new Reader(await readFile(file));
  const caching = await open(file);
  const database = mmdb({ database: caching });
  const { signal } = new AbortController();
  /** @type {import('../dist/index.js').Fetch} */
  const onLoopback = (url, init) =>
    fetch(url.replace('https://get.geojs.io', `http://127.0.0.1:${service.first}`), /** @type {RequestInit} */ (init));
  const overHttp = geojs();
  const offline = createClient({ location: { ip: { providers: [database], cacheMs: 0 } } });
  const online = createClient({ location: { ip: { providers: [overHttp], cacheMs: 0 } }, fetch: onLoopback });

  /**
   * Looks addresses up one after the other.
   * @param {readonly string[]} addresses
   * @param {(ip: string) => Promise<unknown>} lookUp
   */
  const inTurn = (addresses, lookUp) => {
    let next = 0;
    return async (/** @type {number} */ times) => {
      for (let done = 0; done < times; done += 1) await lookUp(addresses[next++ % addresses.length] ?? '');
    };
  };
  /** The same without promises. @param {readonly string[]} addresses @param {(ip: string) => unknown} lookUp */
  const atOnce = (addresses, lookUp) => {
    let next = 0;
    return (/** @type {number} */ times) => {
      for (let done = 0; done < times; done += 1) lookUp(addresses[next++ % addresses.length] ?? '');
    };
  };

  const results = await compareHere([
    {
      key: 'provider',
      name: `mmdb({ database }).lookup, ${whole(VISITED)} networks in turn`,
      run: inTurn(visited, (ip) => database.lookup({ ip, fetch: onLoopback, signal })),
    },
    {
      key: 'every',
      name: `the same, ${whole(NETWORKS)} networks in turn`,
      run: inTurn(every, (ip) => database.lookup({ ip, fetch: onLoopback, signal })),
    },
    { key: 'bare', name: 'the reader of mmdb-lib alone, no cache', run: atOnce(visited, (ip) => bare.get(ip)) },
    { key: 'caching', name: 'the reader of maxmind alone, its cache', run: atOnce(visited, (ip) => caching.get(ip)) },
    // With a new signal for each request, as the client passes it.
    {
      key: 'http',
      name: 'geojs().lookup, HTTP on loopback',
      run: inTurn(visited, (ip) => overHttp.lookup({ ip, fetch: onLoopback, signal: new AbortController().signal })),
    },
    {
      key: 'offline',
      name: 'client.locate({ clientIP }) with the database',
      run: inTurn(visited, (clientIP) => offline.locate({ clientIP })),
    },
    {
      key: 'online',
      name: 'client.locate({ clientIP }) over HTTP',
      run: inTurn(visited, (clientIP) => online.locate({ clientIP })),
    },
  ]);

  const { rates, processorRates } = resultOf(results, 'provider');
  judge(promises.lookup, rates, { processor: processorRates });
  tell('Location lookups one after the other', table(results, 'http'));
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}
