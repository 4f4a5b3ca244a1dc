import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { json } from '../../support/recording-fetch.js';

const location = {
  latitude: 6.45,
  longitude: 3.39,
  city: 'Lagos',
  region: 'LA',
  country: 'NG',
  accuracy: 12,
  source: 'gps',
};

/** The same data, each object with its fields in reverse order. */
const reversed = <T>(value: T): T =>
  typeof value === 'object' && value !== null
    ? (Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, inner]) => [name, reversed(inner)]),
      ) as T)
    : value;

/** The fields of a text in their order. Each name occurs once in the text. */
const namesIn = (text: string) => Array.from(text.matchAll(/"(\w+)":/g), ([, name]) => name).join(' ');

const BET_USER =
  'user user_id first_name last_name resident_address resident_lga resident_state is_resident nin tax_id';
const WITHDRAWAL_USER =
  'user user_id full_name residence_address residence_state residence_lga tax_id nin residency_status';
const LOCATION = 'location latitude longitude city region country accuracy source';
const PAYOUT = 'metadata method bank account_last4 withdrawalId userId';

describe('the fields of a report are in the order of the specification, for any order in the payload', () => {
  const bodies: string[] = [];
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } },
    validation: 'partial',
    location: { sourceNames: { provided: 'gps' } },
    fetch: async (_, { body }) => {
      bodies.push(String(body));
      return json({ message: 'ok' });
    },
  });
  const bet = { ...betEvent(), timestamp: '1795162000', metadata: { channel: 'web' } };

  it.each([
    ['reportSettledBet', settledBet(), `bet_id ${BET_USER} win_amount payout_amount outcome ggr ur`],
    [
      'reportSettledWithdrawal',
      { ...settledWithdrawal(), location },
      `request_id amount status timestamp ${WITHDRAWAL_USER} ${LOCATION} ${PAYOUT}`,
    ],
    // The specification lists no fields of initiated reports: they have the order of the settled withdrawal.
    [
      'reportWithdrawalEvent',
      { ...withdrawalEvent(), location, timestamp: '1795162000' },
      `request_id amount timestamp ${WITHDRAWAL_USER} ${LOCATION} ${PAYOUT}`,
    ],
    ['reportBetEvent', { ...bet, location }, `bet_id amount timestamp ${BET_USER} ${LOCATION} metadata channel`],
    ['reportBetEvent', { ...betEvent(), location }, `bet_id amount timestamp ${BET_USER} ${LOCATION}`],
    // Unknown fields of partial validation come last.
    ['reportSettledBet', { ...settledBet(), tip: 5 }, `bet_id ${BET_USER} win_amount payout_amount outcome ggr ur tip`],
  ] as const)('%s', async (operation, payload, names) => {
    const { location: where, ...rest } = reversed(payload) as typeof payload & { location?: typeof location };
    await client[operation]({ ...rest } as never, where ? { location: reversed(where) } : undefined);
    expect(namesIn(bodies.at(-1) ?? '')).toBe(names);
  });
});
