import * as z from 'zod/mini';
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

/** Specification, section 2.3. */
export const ninVerificationRequest = model({ nin: personal(always(nin())) }, {});

const text = () => z.optional(z.string());

/**
 * Specification, section 2.4. Only `success` is required: other fields may be missing, and fields that the gateway adds
 * are kept.
 */
export const ninVerification = z.looseObject({
  success: z.boolean(),
  status: z.optional(z.number()),
  message: text(),
  data: z.optional(
    z.looseObject({
      requestID: text(),
      pseudoID: text(),
      consentID: text(),
      biographicData: z.optional(
        z.looseObject({
          firstName: text(),
          middleName: text(),
          lastName: text(),
          dateOfBirth: text(),
          gender: text(),
          residenceAddressLine1: text(),
          residenceAddressLine2: text(),
        }),
      ),
      biometricData: z.optional(
        z.array(
          z.looseObject({
            biometricType: text(),
            biometricSubType: text(),
            image: text(),
          }),
        ),
      ),
      contactData: z.optional(z.looseObject({ phone1: text() })),
      tax_details: z.optional(z.looseObject({ tax_id: text() })),
    }),
  ),
});

/**
 * Specification, section 4.2: one string field. The settled bet's answer is not documented and is read the same way.
 */
export const reportAnswer = z.looseObject({ message: text() });
