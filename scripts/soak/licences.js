// Two licences over one outbox: each has a gateway of its own, and both use the same references.
import { createFindings, startGateway } from './gateway.js';

export const ACCOUNTS = /** @type {const} */ (['default', 'brandB']);

/** @typedef {Record<typeof ACCOUNTS[number], string>} Urls */

/** The gateways of both, as one. @param {number} seed */
export async function startGateways(seed) {
  const findings = createFindings();
  const [first, second] = await Promise.all([startGateway(seed, ACCOUNTS[0], findings), startGateway(seed + 1, ACCOUNTS[1], findings)]);
  const all = [first, second];
  let periods = 0;
  return {
    ...findings,
    /** @type {Urls} */
    urls: { default: first.url, brandB: second.url },
    ledger: () => new Map(all.flatMap((gateway) => [...gateway.ledger()])),
    /** One of them turns everything away, then the other one, then both. @param {import('location-sdk/mock').FaultRule} rule */
    misbehave(rule) {
      const chosen = all.filter((_, index) => periods % 3 !== 1 - index);
      periods += 1;
      const stops = chosen.map((gateway) => gateway.misbehave(rule));
      return () => stops.forEach((stop) => void stop());
    },
    lost: () => all.reduce((sum, gateway) => sum + gateway.lost(), 0),
    close: () => Promise.all(all.map((gateway) => gateway.close())),
  };
}
