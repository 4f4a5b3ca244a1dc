import { expect } from 'vitest';
import { type Place, runTwoLicences } from './licences.js';

const bets = (arrived: readonly { readonly bet: string }[]) => arrived.map(({ bet }) => bet).sort();

/** Two licences without an account: the second is refused with a reason. */
export async function refusesTheSecond(place: Place): Promise<void> {
  const { a, b, references } = await runTwoLicences(place, { accounts: undefined });
  expect({ keys: [...new Set(a.arrived.map(({ key }) => key))], bets: bets(a.arrived) }).toEqual({
    keys: ['key-a'],
    bets: [...references.a].sort(),
  });
  expect({ accepted: b.accepted, arrived: b.arrived }).toEqual({ accepted: [], arrived: [] });
  for (const said of b.refused) {
    expect(said).toContain(a.baseUrl);
    expect(said).toContain(b.baseUrl);
    expect(said).toMatch(
      /^ConfigurationError: .*npx location-sdk outbox .* rebind --account default --environment staging --gateway .* --reason/,
    );
  }
  expect(b.refused.length).toBeGreaterThanOrEqual(references.b.length);
}

/** Two licences with an account each: every report arrives at its own gateway with its own key, once. */
export async function keepsThemApart(place: Place): Promise<void> {
  const { a, b, references } = await runTwoLicences(place, { accounts: ['brandA', 'brandB'] });
  expect([a.refused, b.refused]).toEqual([[], []]);
  expect({ keys: [...new Set(a.arrived.map(({ key }) => key))], bets: bets(a.arrived) }).toEqual({
    keys: ['key-a'],
    bets: [...references.a].sort(),
  });
  expect({ keys: [...new Set(b.arrived.map(({ key }) => key))], bets: bets(b.arrived) }).toEqual({
    keys: ['key-b'],
    bets: [...references.b].sort(),
  });
}
