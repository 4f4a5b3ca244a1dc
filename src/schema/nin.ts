import { always, nin, personal } from './fields.js';
import { model } from './model.js';
import { z } from './zod.js';

/** A number to verify (specification, section 2.3). */
export interface NinVerificationRequest {
  /** Exactly 11 digits, as a string. */
  nin: string;
}

/** What is known of a verified number's holder (specification, section 2.4). What the gateway adds later is kept. */
export interface NinVerificationData {
  requestID?: string | undefined;
  pseudoID?: string | undefined;
  consentID?: string | undefined;
  biographicData?:
    | {
        firstName?: string | undefined;
        middleName?: string | undefined;
        lastName?: string | undefined;
        /** `YYYY-MM-DD`. */
        dateOfBirth?: string | undefined;
        gender?: string | undefined;
        residenceAddressLine1?: string | undefined;
        residenceAddressLine2?: string | undefined;
        [field: string]: unknown;
      }
    | undefined;
  biometricData?:
    | {
        biometricType?: string | undefined;
        biometricSubType?: string | undefined;
        /** Base64. */
        image?: string | undefined;
        [field: string]: unknown;
      }[]
    | undefined;
  contactData?: { phone1?: string | undefined; [field: string]: unknown } | undefined;
  tax_details?: { tax_id?: string | undefined; [field: string]: unknown } | undefined;
  [field: string]: unknown;
}

/** The answer to a verification (specification, section 2.4). What the gateway adds later is kept. */
export interface NinVerification {
  /** Whether the number is verified. */
  success: boolean;
  /** Mirrors the result status. */
  status?: number | undefined;
  message?: string | undefined;
  /** Present when the number is verified. */
  data?: NinVerificationData | undefined;
  [field: string]: unknown;
}

/** Specification, section 2.3. */
export const ninVerificationRequest = model({ nin: personal(always(nin())) }, {});

const text = () => z.optional(z.string());

/**
 * Specification, section 2.4. Only `success` is relied upon: what the gateway leaves out or adds later is
 * never an error, and what it adds is kept.
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

/** Specification, section 4.2: one string field. The settled bet's answer is not documented and is read the same way. */
export const reportAnswer = z.looseObject({ message: text() });
