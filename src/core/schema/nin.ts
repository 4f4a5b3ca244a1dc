import { always, nin, personal } from './fields.js';
import { model } from './model.js';

/** A number to verify (specification, section 2.3). */
export interface NinVerificationRequest {
  /** Exactly 11 digits, as a string. */
  nin: string;
}

/**
 * The data about a verified number's holder (specification, section 2.4). Fields that the gateway adds later are kept.
 */
export interface NinVerificationData {
  /** The gateway's identifier of the verification. */
  requestID?: string | undefined;
  /** A reference to the holder that does not name them. */
  pseudoID?: string | undefined;
  /** The holder's consent to the verification. */
  consentID?: string | undefined;
  /** Names, date of birth and address. */
  biographicData?:
    | {
        /** Given name. */
        firstName?: string | undefined;
        /** Middle name. */
        middleName?: string | undefined;
        /** Family name. */
        lastName?: string | undefined;
        /** `YYYY-MM-DD`. */
        dateOfBirth?: string | undefined;
        /** As registered. */
        gender?: string | undefined;
        /** First line of the address. */
        residenceAddressLine1?: string | undefined;
        /** Second line of the address. */
        residenceAddressLine2?: string | undefined;
        [field: string]: unknown;
      }
    | undefined;
  /** Photos and similar data. */
  biometricData?:
    | {
        /** The type of the record. */
        biometricType?: string | undefined;
        /** The subtype of the record. */
        biometricSubType?: string | undefined;
        /** The picture in Base64. */
        image?: string | undefined;
        [field: string]: unknown;
      }[]
    | undefined;
  /** How to contact the holder. */
  contactData?:
    | {
        /** The first telephone number. */
        phone1?: string | undefined;
        [field: string]: unknown;
      }
    | undefined;
  /** The holder's tax record. */
  tax_details?:
    | {
        /** The holder's tax number. */
        tax_id?: string | undefined;
        [field: string]: unknown;
      }
    | undefined;
  [field: string]: unknown;
}

/** The answer to a verification (specification, section 2.4). Fields that the gateway adds later are kept. */
export interface NinVerification {
  /** Whether the number is verified. */
  success: boolean;
  /** Mirrors the result status. */
  status?: number | undefined;
  /** The gateway's message. */
  message?: string | undefined;
  /** Present when the number is verified. */
  data?: NinVerificationData | undefined;
  [field: string]: unknown;
}

export const ninVerificationRequest = model({ nin: personal(always(nin())) }, {});
