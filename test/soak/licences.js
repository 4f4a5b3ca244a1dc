// Two licences over one outbox: each has its own gateway and key, and both use the same references.
import { createClient } from 'location-sdk';
import { startGateway } from './gateway.js';
import { createJournal } from './journal.js';

/** @typedef {{ account: string, apiKey: string }} Licence */
/** The gateway of an account. @typedef {Licence & { baseUrl: string }} Destination */

/** @type {readonly Licence[]} */
const LICENCES = ['default', 'brandB'].map((account) => ({ account, apiKey: `key-of-${account}` }));

/**
 * The client of each account, for `createOutbox`.
 * @param {readonly Destination[]} destinations
 * @param {number} attemptTimeoutMs
 */
export const clientsOf = (destinations, attemptTimeoutMs) =>
  Object.fromEntries(
    destinations.map(({ account, apiKey, baseUrl }) => [
      account,
      createClient({
        environment: 'staging',
        gateways: { staging: { baseUrl, apiKey } },
        location: { fixed: { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', country: 'NG' } },
        attemptTimeoutMs,
      }),
    ]),
  );

/**
 * The gateways of all licences, as one object.
 * @param {number} seed
 * @param {import('./front.js').StatesOf} statesOf
 */
export async function startGateways(seed, statesOf) {
  const journal = createJournal();
  /** The number of times that a report was applied, by its id in the outbox. @type {Map<string, number>} */
  const applied = new Map();
  /** Settled reports that came before their initiated ones had been accepted. @type {Set<string>} */
  const early = new Set();
  const all = await Promise.all(
    LICENCES.map((licence, index) => startGateway({ seed: seed + index, licence, journal, applied, early, statesOf })),
  );
  let periods = 0;
  return {
    journal,
    applied,
    early,
    struck: journal.struck,
    destinations: all.map(({ url }, index) => ({ account: '', apiKey: '', ...LICENCES[index], baseUrl: url })),
    /** The recorded bodies, by the report's id in the outbox. */
    ledger: () => new Map(all.flatMap((gateway) => [...gateway.ledger()])),
    /**
     * One of them refuses all requests, then the other one, then both.
     * @param {import('./front.js').TurnedAway} answer
     */
    turnAway(answer) {
      const chosen = all.filter((_, index) => periods % 3 !== 1 - index);
      periods += 1;
      const stops = chosen.map((gateway) => gateway.turnAway(answer));
      return () => stops.forEach((stop) => void stop());
    },
    isBack: () => all.every((gateway) => gateway.isBack()),
    /** How many reports are final there. */
    done: () => applied.size + journal.refused.size,
    lost: () => all.reduce((sum, gateway) => sum + gateway.lost(), 0),
    close: () => Promise.all(all.map((gateway) => gateway.close())),
  };
}
