import { expectTypeOf, test } from 'vitest';
import type { BetEvent, betEvent, SettledBet, settledBet } from '../../../src/core/schema/bet.js';
import type { Location, LocationInput, location, locationInput } from '../../../src/core/schema/location.js';
import type { Model } from '../../../src/core/schema/model.js';
import type { NinVerificationRequest, ninVerificationRequest } from '../../../src/core/schema/nin.js';
import type {
  SettledWithdrawal,
  settledWithdrawal,
  WithdrawalEvent,
  withdrawalEvent,
} from '../../../src/core/schema/withdrawal.js';

type Input<M> = M extends Model<infer Given> ? Given : never;
type Flat<T> = { [Name in keyof T]: T[Name] };

// The compiler is the test: `npm run types` fails if a documented type and its schema differ.
test('the documented types match the schemas', () => {
  expectTypeOf<Input<typeof betEvent>>().toEqualTypeOf<BetEvent>();
  expectTypeOf<Input<typeof settledBet>>().toEqualTypeOf<SettledBet>();
  expectTypeOf<Input<typeof withdrawalEvent>>().toEqualTypeOf<WithdrawalEvent>();
  expectTypeOf<Input<typeof settledWithdrawal>>().toEqualTypeOf<Flat<SettledWithdrawal>>();
  expectTypeOf<Input<typeof locationInput>>().toEqualTypeOf<LocationInput>();
  expectTypeOf<Input<typeof location>>().toEqualTypeOf<Flat<Location>>();
  expectTypeOf<Input<typeof ninVerificationRequest>>().toEqualTypeOf<NinVerificationRequest>();
});
