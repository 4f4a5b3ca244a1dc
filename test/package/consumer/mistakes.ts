/** Code that the types must refuse: each line has one mistake. */
import { amount, configure, createClient, isReportingError, type ReportingError } from 'location-sdk';
import { mmdb } from 'location-sdk/location/mmdb';
import { createMockGateway } from 'location-sdk/mock';
import { createOutbox, memoryStore } from 'location-sdk/outbox';
import * as page from 'location-sdk/page';
import { bet, settledBet, withdrawal } from './uses.js';

const client = createClient();
const outbox = createOutbox({ client, store: memoryStore() });
const paid = { ...withdrawal, timestamp: new Date(), status: 'SUCCESS' };
const partial = createClient({ validation: 'partial' });
const { user, ...betWithoutUser } = bet;
const { nin, ...userWithoutNin } = user;

export const mistakes = (error: ReportingError) => [
  // @ts-expect-error: the relay adds the player.
  page.reportBetEvent({ bet_id: 'B-1', user: { nin: '99012345678' } }),
  // @ts-expect-error: the relay adds the player.
  page.reportWithdrawalEvent({ request_id: 'W-1', userId: 'U-1' }),
  // @ts-expect-error: the relay adds the player.
  page.createClient({ relayUrl: '/relay' }).reportBetEvent({ bet_id: 'B-1', user }),
  // @ts-expect-error: the backend knows the player.
  page.postOnce('/bets', { stake: 1500, user: { nin: '99012345678' } }),
  // @ts-expect-error: a page reports through a relay.
  page.configure({ gateways: { staging: { baseUrl: 'https://gateway.example.com' } } }),
  // @ts-expect-error: a database is passed open.
  mmdb({ file: 'places.mmdb' }),
  // @ts-expect-error: a database is open once maxmind.open() has resolved.
  mmdb({ database: Promise.resolve({ get: () => null, metadata: { ipVersion: 6 } }) }),
  // @ts-expect-error: a field is missing.
  client.reportBetEvent(betWithoutUser),
  // @ts-expect-error: a field of the user is missing.
  client.reportBetEvent({ ...bet, user: userWithoutNin }),
  // @ts-expect-error: an amount is a number.
  client.reportBetEvent({ ...bet, amount: '1500' }),
  // @ts-expect-error: a number would lose the NIN's leading zeros.
  client.reportBetEvent({ ...bet, user: { ...user, nin: 99012345678 } }),
  // @ts-expect-error: metadata is flat.
  client.reportBetEvent({ ...bet, metadata: { legs: [1, 2] } }),
  // @ts-expect-error: a time is text or a Date.
  client.reportBetEvent({ ...bet, timestamp: 1795161600 }),
  // @ts-expect-error: a misspelt field.
  client.reportSettledBet({ ...settledBet, payoutAmount: 3675 }),
  // @ts-expect-error: an outcome is text.
  client.reportSettledBet({ ...settledBet, outcome: 7 }),
  // @ts-expect-error: the user of a withdrawal has other fields.
  client.reportSettledBet({ ...settledBet, user: withdrawal.user }),
  // @ts-expect-error: a settled bet takes no location.
  client.reportSettledBet({ ...settledBet, location: { latitude: 0, longitude: 0, source: 'gps' } }),
  // @ts-expect-error: an initiated withdrawal has no status.
  client.reportWithdrawalEvent({ ...withdrawal, status: 'SUCCESS' }),
  // @ts-expect-error: a settled withdrawal has a status.
  client.reportSettledWithdrawal({ ...withdrawal, timestamp: new Date() }),
  // @ts-expect-error: as a field of the report, a location has a source.
  client.reportSettledWithdrawal({ ...paid, location: { latitude: 0, longitude: 0 } }),
  // @ts-expect-error: a location has both coordinates.
  client.reportBetEvent(bet, { location: { latitude: 0 } }),
  // @ts-expect-error: there are two environments.
  client.reportBetEvent(bet, { environment: 'test' }),
  // @ts-expect-error: the option is clientIP.
  client.reportBetEvent(bet, { clientIp: '102.89.1.1' }),
  // @ts-expect-error: a NIN is text.
  client.verifyNin(99012345678),
  // @ts-expect-error: locate takes no location.
  client.locate({ location: { latitude: 0, longitude: 0 } }),
  // @ts-expect-error: identifiers are required in partial mode too.
  partial.reportBetEvent({ user: { user_id: 'U-1' } }),
  // @ts-expect-error: the rules on values stay in partial mode.
  partial.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' }, amount: '1500' }),
  // @ts-expect-error: there is no way to switch validation off.
  createClient({ validation: 'off' }),
  // @ts-expect-error: a misspelt option.
  createClient({ apikey: 'key' }),
  // @ts-expect-error: gateways are set up by environment.
  configure({ gateways: { baseUrl: 'https://gateway.example.com' } }),
  // @ts-expect-error: a path of an unknown operation.
  configure({ paths: { reportBet: 'report-bet' } }),
  // @ts-expect-error: a misspelt field of a batch.
  outbox.reportAll([{ operation: 'reportSettledBet', payload: { ...settledBet, payoutAmount: 3675 } }]),
  // @ts-expect-error: the payload of another operation.
  outbox.reportAll([{ operation: 'reportSettledBet', payload: bet }]),
  // @ts-expect-error: an operation that is not a report.
  outbox.reportAll([{ operation: 'verifyNin', payload: { nin: '99012345678' } }]),
  // @ts-expect-error: a misspelt option of a report of a batch.
  outbox.reportAll([{ operation: 'reportBetEvent', payload: bet, options: { clientIp: '102.89.1.1' } }]),
  // @ts-expect-error: a decimal is text.
  amount(10.5),
  // @ts-expect-error: only a validation error has issues.
  isReportingError(error) && error.issues,
  // @ts-expect-error: a fault has a kind.
  createMockGateway().faults.add({ when: 'after' }),
];

export function change(error: ReportingError): void {
  // @ts-expect-error: the properties of an error are read-only.
  error.outcome = 'rejected';
}
