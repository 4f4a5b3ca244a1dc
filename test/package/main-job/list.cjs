/**
 * The main job, as a list that both module systems run on the installed package. `other` is the copy of the package
 * that the other module system loads in the same process.
 *
 * @typedef {typeof import('location-sdk')} Sdk
 * @typedef {{ sdk: Sdk, other: Sdk, mock: typeof import('location-sdk/mock'), mockNode: typeof
 * import('location-sdk/node') }} Copies
 */
const assert = require('node:assert/strict');

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

/** @param {Promise<unknown>} call @returns {Promise<unknown>} its rejection */
const failure = (call) =>
  call.then(
    () => assert.fail('should have rejected'),
    (error) => error,
  );

/** @param {Copies} copies @returns {{ name: string, run: () => Promise<void> }[]} */
exports.mainJob = ({ sdk, other, mock, mockNode }) => {
  /**
   * Runs a test with a separate mock gateway, over HTTP. @param {(world: { server:
   * import('location-sdk/node').MockServer, client: import('location-sdk').Client }) => Promise<void>} test
   */
  const served = (test) => async () => {
    const server = await mockNode.serve(mock.createMockGateway());
    try {
      await test({ server, client: sdk.createClient({ ...server.clientOptions(), retry: { limit: 0 } }) });
    } finally {
      await server.close();
    }
  };

  return [
    {
      name: 'a function that is called before configure shows the line to write',
      run: async () => {
        const error = await failure(sdk.reportBetEvent(bet));
        assert.ok(sdk.isReportingError(error) && error.code === 'configuration');
        assert.match(error.message, /configure\(\{/);
      },
    },
    {
      name: 'the two module systems load two copies of the package',
      run: async () => assert.notEqual(sdk.createClient, other.createClient),
    },
    {
      name: 'the four steps are recorded in their order',
      run: served(async ({ server, client }) => {
        await client.reportBetEvent(bet);
        await client.reportSettledBet(settledBet);
        const { location } = await client.reportWithdrawalEvent(withdrawal);
        const receipt = await client.reportSettledWithdrawal({
          ...withdrawal,
          status: 'SUCCESS',
          timestamp: new Date(),
          location,
        });
        assert.deepEqual([receipt.outcome, receipt.reference, receipt.attempts], ['recorded', 'WR-1', 1]);
        const recorded = server.gateway.reports().map(({ operation, reference }) => `${operation} ${reference}`);
        assert.deepEqual(recorded, [
          'reportBetEvent BET-1',
          'reportSettledBet BET-1',
          'reportWithdrawalEvent WR-1',
          'reportSettledWithdrawal WR-1',
        ]);
      }),
    },
    {
      name: 'a number is verified, and an unknown one is an answer too',
      run: served(async ({ client }) => {
        const verified = await client.verifyNin({ nin: '99012345678' });
        assert.equal(verified.success, true);
        assert.match(String(verified.data?.biographicData?.dateOfBirth), /^\d{4}-\d{2}-\d{2}$/);
        assert.equal((await client.verifyNin('12345678901')).success, false);
      }),
    },
    {
      name: 'a wrong payload is a validation error, and nothing is sent',
      run: served(async ({ server, client }) => {
        const error = await failure(client.reportBetEvent({ ...bet, bet_id: ' ', user: { ...betUser, nin: '123' } }));
        assert.ok(sdk.isReportingError(error) && error.code === 'validation');
        assert.deepEqual(error.issues.map(({ path }) => path).sort(), ['bet_id', 'user.nin']);
        assert.deepEqual([error.outcome, error.attempts, server.gateway.reports().length], ['not-sent', 0, 0]);
      }),
    },
    {
      name: 'a report that was already recorded is a duplicate',
      run: served(async ({ client }) => {
        const first = { ...bet, timestamp: '1795161600' };
        await client.reportBetEvent(first);
        const repeated = await failure(client.reportBetEvent(first));
        assert.ok(sdk.isReportingError(repeated) && repeated.code === 'duplicate');
        assert.deepEqual([repeated.conflict, repeated.outcome], [false, 'rejected']);
        const changed = await failure(client.reportBetEvent({ ...first, amount: 1 }));
        assert.ok(sdk.isReportingError(changed) && changed.code === 'duplicate' && changed.conflict);
      }),
    },
    {
      name: 'a lost answer leaves the outcome unknown, and sending the same bytes again shows that it is recorded',
      run: served(async ({ server, client }) => {
        server.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
        const error = await failure(client.reportBetEvent(bet));
        assert.ok(sdk.isReportingError(error) && error.code === 'network');
        assert.equal(error.outcome, 'unknown');
        const receipt = await client.resend(error);
        assert.deepEqual([receipt.outcome, receipt.reference], ['already-recorded', 'BET-1']);
        assert.equal(server.gateway.reports().length, 1);
      }),
    },
    {
      name: 'a retry finds by itself that the lost answer was a success',
      run: served(async ({ server }) => {
        server.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
        const retrying = sdk.createClient({ ...server.clientOptions(), retry: { limit: 1, baseMs: 0 } });
        const receipt = await retrying.reportBetEvent(bet);
        assert.deepEqual([receipt.outcome, receipt.attempts], ['already-recorded', 2]);
      }),
    },
    {
      name: 'a wrong key is an authentication error that does not show the key',
      run: served(async ({ server }) => {
        const client = sdk.createClient({
          ...server.clientOptions(),
          gateways: { staging: { baseUrl: server.url, apiKey: 'not-the-key' } },
        });
        const error = await failure(client.reportBetEvent(bet));
        assert.ok(sdk.isReportingError(error) && error.code === 'authentication');
        assert.doesNotMatch(
          `${error.message} ${JSON.stringify(error)} ${require('node:util').inspect(error, { depth: 9 })}`,
          /not-the-key/,
        );
      }),
    },
    {
      name: 'the copies share one default client',
      run: served(async ({ server }) => {
        sdk.configure(server.clientOptions());
        assert.equal((await other.reportBetEvent(bet)).outcome, 'recorded');
        other.configure({ ...server.clientOptions(), environment: 'production' });
        assert.equal((await sdk.reportBetEvent(bet)).environment, 'production');
        assert.deepEqual(
          [server.gateway.reports('staging').length, server.gateway.reports('production').length],
          [1, 1],
        );
      }),
    },
    {
      name: 'each copy recognises the errors of the other, and either copy can resend them',
      run: served(async ({ server }) => {
        server.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
        const error = await failure(
          sdk.createClient({ ...server.clientOptions(), retry: { limit: 0 } }).reportBetEvent(bet),
        );
        assert.ok(!(error instanceof other.NetworkError));
        assert.ok(other.isReportingError(error) && error.code === 'network');
        assert.equal((await other.createClient(server.clientOptions()).resend(error)).outcome, 'already-recorded');
      }),
    },
  ];
};
