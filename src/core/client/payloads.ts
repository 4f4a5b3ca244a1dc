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
  /** An initiated bet (specification, section 1). */
  reportBetEvent: BetEvent & PayloadParameters & Located;
  /** A settled bet (specification, section 4.1). */
  reportSettledBet: SettledBet & PayloadParameters;
  /** An initiated withdrawal (specification, section 1). */
  reportWithdrawalEvent: WithdrawalEvent & PayloadParameters & Located;
  /** A settled withdrawal (specification, section 4.2). */
  reportSettledWithdrawal: SettledWithdrawal & PayloadParameters & LocatedBefore;
  /** A number to verify, alone or with options (specification, section 3). */
  verifyNin: (NinVerificationRequest & PayloadParameters) | string;
}

interface PartialPayloads {
  /** An initiated bet; `bet_id` is required. */
  reportBetEvent: PartialPayload<StrictPayloads['reportBetEvent'], 'bet_id'>;
  /** A settled bet; `bet_id` is required. */
  reportSettledBet: PartialPayload<StrictPayloads['reportSettledBet'], 'bet_id'>;
  /** An initiated withdrawal; `request_id` is required. */
  reportWithdrawalEvent: PartialPayload<StrictPayloads['reportWithdrawalEvent'], 'request_id'>;
  /** A settled withdrawal; `request_id` is required. */
  reportSettledWithdrawal: PartialPayload<StrictPayloads['reportSettledWithdrawal'], 'request_id'>;
  /** A number to verify. It must be complete in every mode. */
  verifyNin: StrictPayloads['verifyNin'];
}

/** A payload in a page. The relay adds the player, and the data that the page does not have. */
type RelayPayload<T, Id extends keyof T> = Pick<T, Id> &
  DeepPartial<Omit<T, Id | 'user' | 'userId' | 'location' | keyof PayloadParameters>> &
  Located;

interface RelayPayloads {
  /** An initiated bet. The relay adds the data that only your backend has. */
  reportBetEvent: RelayPayload<StrictPayloads['reportBetEvent'], 'bet_id'>;
  /** An initiated withdrawal. The relay adds the data that only your backend has. */
  reportWithdrawalEvent: RelayPayload<StrictPayloads['reportWithdrawalEvent'], 'request_id'>;
  /** A relay accepts the two initiated events only. */
  reportSettledBet: never;
  /** Your backend reports settlements. */
  reportSettledWithdrawal: never;
  /** Your backend verifies numbers. */
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
