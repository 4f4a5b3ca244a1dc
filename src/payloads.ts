import type { Environment } from './errors.js';
import type { BetEvent, SettledBet } from './schema/bet.js';
import type { Location, LocationInput } from './schema/location.js';
import type { ValidationMode } from './schema/model.js';
import type { NinVerificationRequest } from './schema/nin.js';
import type { SettledWithdrawal, WithdrawalEvent } from './schema/withdrawal.js';

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

type PartialUser<T> = 'user' extends keyof T ? { user: Open<{ user_id: string } & DeepPartial<T['user']>> } : unknown;

/** A payload under `validation: 'partial'`: its identifiers, any of its other fields, and fields of your own. */
export type PartialPayload<T, Id extends keyof T> = Open<Pick<T, Id> & DeepPartial<Omit<T, Id | 'user'>> & PartialUser<T>>;

interface StrictPayloads {
  reportBetEvent: BetEvent & PayloadParameters & { location?: LocationInput | undefined };
  reportSettledBet: SettledBet & PayloadParameters;
  reportWithdrawalEvent: WithdrawalEvent & PayloadParameters & { location?: LocationInput | undefined };
  reportSettledWithdrawal: SettledWithdrawal & PayloadParameters & { location?: Location | undefined };
  verifyNin: NinVerificationRequest & PayloadParameters;
}

interface PartialPayloads {
  reportBetEvent: PartialPayload<StrictPayloads['reportBetEvent'], 'bet_id'>;
  reportSettledBet: PartialPayload<StrictPayloads['reportSettledBet'], 'bet_id'>;
  reportWithdrawalEvent: PartialPayload<StrictPayloads['reportWithdrawalEvent'], 'request_id'>;
  reportSettledWithdrawal: PartialPayload<StrictPayloads['reportSettledWithdrawal'], 'request_id'>;
  verifyNin: StrictPayloads['verifyNin'];
}

/** A payload in a page whose relay adds what the page does not know. */
export type RelayPayload<T, Id extends keyof T> = Pick<T, Id> &
  DeepPartial<Omit<T, Id | 'location' | keyof PayloadParameters>> & { location?: LocationInput | undefined };

interface RelayPayloads {
  reportBetEvent: RelayPayload<StrictPayloads['reportBetEvent'], 'bet_id'>;
  reportWithdrawalEvent: RelayPayload<StrictPayloads['reportWithdrawalEvent'], 'request_id'>;
  /** A relay takes the two initiated events only. */
  reportSettledBet: never;
  reportSettledWithdrawal: never;
  verifyNin: never;
}

/** How a client was made: with `validation`, or with `relayUrl`. */
export type ClientMode = ValidationMode | 'relay';

/** What each method takes, by how the client was made. */
export type Payloads<Mode extends ClientMode> = Mode extends 'relay' ? RelayPayloads : Mode extends 'strict' ? StrictPayloads : PartialPayloads;
