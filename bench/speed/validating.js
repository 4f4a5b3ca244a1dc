// The time to check a settled bet: the package's check compared with Ajv's, compiled from the same bet's schema in our
// OpenAPI document. Ajv checks the caller's object, and so does not copy it.
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CONTEXT, loadChecks } from '../checks.js';
import { compareHere } from '../measure.js';
import { judge, promises, tell } from '../promises.js';
import { median } from '../statistics.js';
import { fixed, markdownTable } from '../words.js';
import { nextBet } from './bet.js';

const { checkCall, copyJson, settledBet, validate, z } = await loadChecks();
const { components } = JSON.parse(await readFile(new URL('../../dist/openapi.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: false });
ajv.addSchema({ $id: 'gateway', components });
const byAjv = ajv.compile({ $ref: 'gateway#/components/schemas/SettledBet' });

const bets = Array.from({ length: 256 }, nextBet);
const copies = bets.map((bet) => copyJson(bet).value);
const reversed = (/** @type {object} */ given) => Object.fromEntries(Object.entries(given).reverse());
const others = bets.map((bet) => reversed({ ...bet, user: reversed(bet.user) }));

const check = (/** @type {unknown} */ copy) => validate(settledBet, 'strict', copy);
/** Like `checkCall`. @param {unknown} bet */
const copyAndCheck = (bet) => check(copyJson(bet).value);

/** @template T @param {string} key @param {string} name @param {readonly T[]} values @param {(value: T) => boolean} isRight */
const contender = (key, name, values, isRight) => ({
  key,
  name,
  run: (/** @type {number} */ times) => {
    for (let done = 0; done < times; done += 1)
      if (!isRight(/** @type {T} */ (values[done & 255]))) throw new Error(`${name} refuses a bet that is right`);
  },
});
const contenders = [
  contender('whole', 'location-sdk, copy and check', bets, (bet) => copyAndCheck(bet).issues.length === 0),
  contender('ajv', 'Ajv, compiled, which does not copy', bets, (bet) => byAjv(bet)),
  contender(
    'reversed',
    'location-sdk, copy and check, fields in another order',
    others,
    (bet) => copyAndCheck(bet).issues.length === 0,
  ),
  contender(
    'call',
    'location-sdk, all that is checked of a call, its options too',
    bets,
    (bet) => checkCall('reportSettledBet', bet, undefined, CONTEXT).body,
  ),
  contender(
    'schema',
    'the schema alone, of what is copied already',
    copies,
    (copy) => z.safeParse(settledBet.strict.schema(), copy).success,
  ),
];
const results = await compareHere(contenders);
const microseconds = (/** @type {number[]} */ rates) => rates.map((rate) => 1_000_000 / rate);
const [{ rates, processorRates } = { rates: [], processorRates: [] }] = results;
judge(promises.check, microseconds(rates), { processor: microseconds(processorRates) });
tell(
  'Checking a settled bet',
  markdownTable([
    ['', 'µs of processor'],
    ...results.map((result) => [result.name, fixed(median(microseconds(result.processorRates)))]),
  ]),
);
