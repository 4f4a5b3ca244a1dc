import type { Environment } from '../errors/errors.js';
import type { BetEvent, SettledBet } from '../schema/bet.js';
import type { Location, LocationInput } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';
import type { NinVerificationRequest } from '../schema/nin.js';
import type { SettledWithdrawal, WithdrawalEvent } from '../schema/withdrawal.js';

/** Parameters that may stand in the payload instead of the options; they are taken out before it is sent. */
export interface PayloadParameters {
  /** Where this call goes; the same as the option of the call. */
  environment?: Environment | undefined;
  /** The player's public address; the same as the option of the call. */
  clientIP?: string | undefined;
}

type DeepPartial<T> = T extends Date ? T : T extends object ? { [Name in keyof T]?: DeepPartial<T[Name]> | undefined } : T;

/** Fields of one's own beside the known ones; an interface without an index signature fits too. */
type Open<T> = T | (T & Record<string, unknown>);

type PartialUser<T> = 'user' extends keyof T
  ? {
      /** Who the player is: the id, and any of the other fields. */
      user: Open<
        {
          /** The player's id at the operator: the one part that is required. */
          user_id: string;
        } & DeepPartial<T['user']>
      >;
    }
  : unknown;

/** A payload under `validation: 'partial'`: its identifiers, any of its other fields, and fields of your own. */
export type PartialPayload<T, Id extends keyof T> = Open<Pick<T, Id> & DeepPartial<Omit<T, Id | 'user'>> & PartialUser<T>>;

/** Of an event: it carries where the player is. */
export interface Located {
  /** Where the player is. Default: it is found, see the option `location` of the client. */
  location?: LocationInput | undefined;
}

/** Of a settlement: its location is known. */
export interface LocatedBefore {
  /** Where the initiated withdrawal was made: the location of its receipt. */
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
  /** A number to verify (specification, section 3). */
  verifyNin: NinVerificationRequest & PayloadParameters;
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
  /** A number to verify, whole in every mode. */
  verifyNin: StrictPayloads['verifyNin'];
}

/** A payload in a page whose relay adds what the page does not know. */
export type RelayPayload<T, Id extends keyof T> = Pick<T, Id> & DeepPartial<Omit<T, Id | 'location' | keyof PayloadParameters>> & Located;

interface RelayPayloads {
  /** An initiated bet; the relay adds what only your backend knows. */
  reportBetEvent: RelayPayload<StrictPayloads['reportBetEvent'], 'bet_id'>;
  /** An initiated withdrawal; the relay adds what only your backend knows. */
  reportWithdrawalEvent: RelayPayload<StrictPayloads['reportWithdrawalEvent'], 'request_id'>;
  /** A relay takes the two initiated events only. */
  reportSettledBet: never;
  /** A settlement is reported by your backend. */
  reportSettledWithdrawal: never;
  /** A number is verified by your backend. */
  verifyNin: never;
}

/** How a client was made: with `validation`, or with `relayUrl`. */
export type ClientMode = ValidationMode | 'relay';

/** What each method takes, by how the client was made; of any client, what all of them take. */
export type Payloads<Mode extends ClientMode> = [ClientMode] extends [Mode]
  ? StrictPayloads
  : Mode extends 'relay'
    ? RelayPayloads
    : Mode extends 'strict'
      ? StrictPayloads
      : PartialPayloads;
