// Prints how long the check of a settled bet takes: the package's, from a bundle of its schemas that is named, beside Ajv's,
// compiled from the schema of the same bet in our OpenAPI document.
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compare } from '../measure.js';
import { nextBet } from './bet.js';

const [bundle = '', rounds = ''] = process.argv.slice(2);
const { accept, copyJson, settledBet, validate, z } = await import(bundle);
const { components } = JSON.parse(await readFile(new URL('../../dist/openapi.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: false });
ajv.addSchema({ $id: 'gateway', components });
const byAjv = ajv.compile({ $ref: 'gateway#/components/schemas/SettledBet' });

const bets = Array.from({ length: 256 }, nextBet);
const copies = bets.map((bet) => copyJson(bet).value);
const check = (/** @type {unknown} */ copy) => accept(settledBet, 'strict', copy) ?? validate(settledBet, 'strict', copy);

/** @template T @param {string} name @param {readonly T[]} values @param {(value: T) => boolean} isRight */
const contender = (name, values, isRight) => ({
  name,
  run: (/** @type {number} */ times) => {
    for (let done = 0; done < times; done += 1) if (!isRight(/** @type {T} */ (values[done & 255]))) throw new Error(`${name} refuses a bet that is right`);
  },
});
const results = await compare(
  [
    contender('location-sdk', copies, (copy) => check(copy).issues.length === 0),
    contender('Ajv, compiled', bets, (bet) => byAjv(bet)),
    contender('location-sdk, the copy that is checked and sent included', bets, (bet) => check(copyJson(bet).value).issues.length === 0),
    contender('zod/mini, the same schema', copies, (copy) => z.safeParse(settledBet.strict, copy).success),
  ],
  { rounds: Number(rounds) },
);
console.log(JSON.stringify(results.map(({ name, perProcessorSecond }) => ({ name, microseconds: 1_000_000 / perProcessorSecond }))));
