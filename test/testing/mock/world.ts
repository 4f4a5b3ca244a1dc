import { GATEWAY_PATH, type OperationName, operations } from '../../../src/core/protocol/operations.js';
import { createMockGateway, type MockGatewayOptions } from '../../../src/entries/mock.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';

const location = { latitude: 6.45, longitude: 3.39, source: 'gps' };

/** A body of each operation as the SDK sends it. */
export const BODIES: Readonly<Record<OperationName, Record<string, unknown>>> = {
  reportBetEvent: { ...betEvent(), location },
  reportSettledBet: { ...settledBet() },
  reportWithdrawalEvent: { ...withdrawalEvent(), location },
  reportSettledWithdrawal: { ...settledWithdrawal(), location },
  verifyNin: { nin: '99012345678' },
};

/** A gateway on a clock that only moves when all work waits for it. */
export function world(options: MockGatewayOptions = {}) {
  const clock = new FakeClock();
  const gateway = createMockGateway({ clock, ...options });
  const send = (operation: OperationName = 'reportBetEvent', changes: object = {}, init: RequestInit = {}) =>
    gateway.fetch(`http://mock.localhost${GATEWAY_PATH}${operations[operation].path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
      body: JSON.stringify({ ...BODIES[operation], ...changes }),
      ...init,
    });
  /** The status of the answer, or the name of the thrown error. */
  const outcome = (changes: object = {}, operation?: OperationName) =>
    send(operation, changes).then(
      ({ status }) => status,
      (error: Error) => error.name,
    );
  /** The outcomes of this number of bets, one after the other. */
  async function outcomes(count: number, from = 0) {
    const all: (number | string)[] = [];
    for (let index = 0; index < count; index += 1) all.push(await outcome({ bet_id: `B-${from + index}` }));
    return all;
  }
  return { clock, gateway, send, outcome, outcomes };
}
