import * as z from 'zod/mini';
import { always, nin, personal } from './fields.js';
import { model } from './model.js';

/** Specification, section 2.3. */
export const ninVerificationRequest = model({ nin: personal(always(nin())) }, {});

const text = () => z.optional(z.string());

/**
 * Specification, section 2.4. Only `success` is relied upon: what the gateway leaves out or adds later is
 * never an error, and what it adds is kept.
 */
export const ninVerification = z.looseObject({
  /** Whether the number is verified. */
  success: z.boolean(),
  /** Mirrors the result status. */
  status: z.optional(z.number()),
  message: text(),
  /** Present when the number is verified. */
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
          /** `YYYY-MM-DD`. */
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
            /** Base64. */
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

export type NinVerificationRequest = z.input<typeof ninVerificationRequest.strict>;
export type NinVerification = z.output<typeof ninVerification>;
