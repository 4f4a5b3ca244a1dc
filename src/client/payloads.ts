import type { BetEvent, SettledBet } from '../schema/bet.js';
import type { Location, LocationInput } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';
import type { NinVerificationRequest } from '../schema/nin.js';
import type { SettledWithdrawal, WithdrawalEvent } from '../schema/withdrawal.js';
import type { CallOptions } from './options.js';

/**
 * Parameters that may be in the payload instead of the options. They are removed before it is sent. Exported, since an
 * editor would not show their comments otherwise.
 */
export type PayloadParameters = Pick<CallOptions, 'environment' | 'clientIP'>;

type DeepPartial<T> = T extends Date
  ? T
  : T extends object
    ? { [Name in keyof T]?: DeepPartial<T[Name]> | undefined }
    : T;

/** Your own fields beside the known ones. An interface without an index signature fits too. */
type Open<T> = T | (T & Record<string, unknown>);

type PartialUser<T> = 'user' extends keyof T
  ? {
      /** The player: the id, and any of the other fields. */
      user: Open<
        {
          /** The player's id at the operator. It is the one required field. */
          user_id: string;
        } & DeepPartial<T['user']>
      >;
    }
  : unknown;

/** A payload under `validation: 'partial'`: its identifiers, any of its other fields, and your own fields. */
type PartialPayload<T, Id extends keyof T> = Open<Pick<T, Id> & DeepPartial<Omit<T, Id | 'user'>> & PartialUser<T>>;

/** The location of an event. */
export interface Located {
  /** The player's location. Default: it is found, see the option `location` of the client. */
  location?: LocationInput | undefined;
}

/** The location of a settlement, which is known. */
export interface LocatedBefore {
  /** The location of the initiated withdrawal, from its receipt. */
  location?: Location | undefined;
}

interface StrictPayloads {
  reportBetEvent: BetEvent & PayloadParameters & Located;
  reportSettledBet: SettledBet & PayloadParameters;
  reportWithdrawalEvent: WithdrawalEvent & PayloadParameters & Located;
  reportSettledWithdrawal: SettledWithdrawal & PayloadParameters & LocatedBefore;
  verifyNin: NinVerificationRequest & PayloadParameters;
}

interface PartialPayloads {
  reportBetEvent: PartialPayload<StrictPayloads['reportBetEvent'], 'bet_id'>;
  reportSettledBet: PartialPayload<StrictPayloads['reportSettledBet'], 'bet_id'>;
  reportWithdrawalEvent: PartialPayload<StrictPayloads['reportWithdrawalEvent'], 'request_id'>;
  reportSettledWithdrawal: PartialPayload<StrictPayloads['reportSettledWithdrawal'], 'request_id'>;
  verifyNin: StrictPayloads['verifyNin'];
}

/** A payload in a page. The relay adds the data that the page does not have. */
type RelayPayload<T, Id extends keyof T> = Pick<T, Id> &
  DeepPartial<Omit<T, Id | 'location' | keyof PayloadParameters>> &
  Located;

/** A relay accepts the two initiated events only. */
interface RelayPayloads {
  reportBetEvent: RelayPayload<StrictPayloads['reportBetEvent'], 'bet_id'>;
  reportWithdrawalEvent: RelayPayload<StrictPayloads['reportWithdrawalEvent'], 'request_id'>;
  reportSettledBet: never;
  reportSettledWithdrawal: never;
  verifyNin: never;
}

/** How a client was made: with `validation`, or with `relayUrl`. */
export type ClientMode = ValidationMode | 'relay';

/** The payload of each method, by how the client was made. For any client: the payloads that all of them accept. */
export type Payloads<Mode extends ClientMode> = [ClientMode] extends [Mode]
  ? StrictPayloads
  : Mode extends 'relay'
    ? RelayPayloads
    : Mode extends 'strict'
      ? StrictPayloads
      : PartialPayloads;
