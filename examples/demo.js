// The four steps against a mock gateway over real HTTP, on loopback only: `npm run demo`.
import { createClient, isReportingError } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { serve } from 'location-sdk/node';

const server = await serve(createMockGateway());
const { gateway } = server;
// No waits between attempts, so that the demo ends soon. Leave this option out in production.
const options = { ...server.clientOptions(), retry: { baseMs: 0 } };
const client = createClient(options);

const betUser = {
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: '2034567890123',
};
const bet = { bet_id: 'BET-1', amount: 1500, user: betUser };
const settledBet = {
  bet_id: 'BET-1',
  user: betUser,
  win_amount: 2175,
  payout_amount: 3675,
  outcome: 'WIN',
  ggr: -2175,
  ur: 0,
};
const withdrawal = {
  request_id: 'WR-1',
  amount: 3000,
  user: {
    user_id: 'U-88412',
    full_name: 'Adaeze Okonkwo',
    residence_address: '4 Ogui Road',
    residence_state: 'ENUGU',
    residence_lga: 'Enugu North',
    tax_id: '2034567890123',
    nin: '99012345678',
    residency_status: 'RESIDENT',
  },
  metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' },
  withdrawalId: 'W-1',
  userId: 'U-88412',
};
// The player's location. If it is left out, a server looks `clientIP` up and a page asks the browser.
const location = { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', country: 'NG', source: 'gps' };

const heading = (/** @type {string} */ text) => console.log(`\n${text}\n${'─'.repeat(text.length)}`);
const indent = (/** @type {string} */ text) => text.replace(/^/gm, '      ');

/** Shows a receipt as one line. @param {string} step @param {import('location-sdk').Receipt} receipt */
function show(step, { outcome, reference, environment, attempts, message }) {
  console.log(
    `  ✓ ${step}\n      ${outcome} · ${reference} · ${environment} · ${attempts} attempt${attempts > 1 ? 's' : ''}${message ? ` · "${message}"` : ''}`,
  );
}

/**
 * Shows the error with which a call must end.
 * @param {string} what
 * @param {string} code
 * @param {() => Promise<unknown>} call
 */
async function fails(what, code, call) {
  try {
    await call();
  } catch (error) {
    if (!isReportingError(error) || error.code !== code) throw error;
    console.log(`  ✗ ${what}\n      code '${error.code}', outcome '${error.outcome}'\n${indent(error.message)}`);
    return;
  }
  throw new Error(`${what}: should have failed with '${code}'`);
}

console.log(`A mock gateway listens on ${server.url}`);

heading('The four steps');
show('1  reportBetEvent', await client.reportBetEvent(bet, { location }));
show('2  reportSettledBet', await client.reportSettledBet(settledBet));
const initiated = await client.reportWithdrawalEvent(withdrawal, { location });
show('3  reportWithdrawalEvent', initiated);
const settledWithdrawal = { ...withdrawal, status: 'SUCCESS', timestamp: new Date(), location: initiated.location };
show('4  reportSettledWithdrawal', await client.reportSettledWithdrawal(settledWithdrawal));

heading('NIN verification');
const verified = await client.verifyNin({ nin: '99012345678' });
console.log(
  `  ✓ a number that staging verifies: success ${verified.success}, "${verified.message}", born ${verified.data?.biographicData?.dateOfBirth}`,
);
const unknown = await client.verifyNin({ nin: '12345678901' });
console.log(
  `  ✓ any other number:              success ${unknown.success}, "${unknown.message}" (an answer, not an error)`,
);

heading('Failures and their messages');
// The types find all three. JavaScript users see the error.
const mistaken = /** @type {typeof settledBet} */ (
  /** @type {unknown} */ ({
    ...settledBet,
    payout_amount: undefined,
    payoutAmount: 3675,
    user: { ...betUser, nin: '123' },
  })
);
await fails('three mistakes in one payload', 'validation', () => client.reportSettledBet(mistaken));
await fails('a settled bet that was never initiated', 'not-found', () =>
  client.reportSettledBet({ ...settledBet, bet_id: 'BET-NEVER' }),
);
await fails('the same report again', 'duplicate', () => client.reportSettledBet(settledBet));

gateway.faults.add({ kind: 'connection-reset', when: 'after' });
show(
  'an answer lost after recording: the next attempt finds that the report is recorded',
  await client.reportBetEvent({ ...bet, bet_id: 'BET-2' }, { location }),
);

const oneAttempt = createClient({ ...options, retry: { limit: 0 } });
gateway.faults.add({ kind: 'connection-reset', when: 'after' });
try {
  await oneAttempt.reportBetEvent({ ...bet, bet_id: 'BET-3' }, { location });
} catch (error) {
  if (!isReportingError(error)) throw error;
  console.log(
    `  ✗ the same with no attempt left\n      code '${error.code}', outcome '${error.outcome}'\n${indent(error.message)}`,
  );
  show('and what to do: client.resend(error)', await oneAttempt.resend(error));
}

await fails('a wrong key', 'authentication', () =>
  createClient({ ...options, gateways: { staging: { baseUrl: server.url, apiKey: 'not-the-key' } } }).reportSettledBet(
    settledBet,
  ),
);
await fails('no address from which the player can be located', 'location', () =>
  createClient({ ...options, location: {} }).reportBetEvent({ ...bet, bet_id: 'BET-4' }),
);
await server.close();

const stopped = await serve();
await stopped.close();
await fails('an unreachable gateway', 'network', () =>
  createClient({ ...options, ...stopped.clientOptions() }).reportSettledBet(settledBet),
);

console.log('\nEvery step ran as expected.');
