import type { NinVerification } from '../schema/nin.js';

/** The data in the answer for a verified number. */
export type Identity = NonNullable<NinVerification['data']>;

const FIRST_NAMES = ['Adaeze', 'Bola', 'Chidi', 'Damilola', 'Efe', 'Fatima', 'Gbenga', 'Halima'];
const LAST_NAMES = ['Adeyemi', 'Bello', 'Chukwu', 'Danjuma', 'Eze', 'Falana', 'Garba', 'Hassan'];

/** A small white image, so that a client that decodes it gets a valid one. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==';

/** Invented data, always the same for the same number (specification, section 4.3: staging, numbers that start with 99). */
export function madeUpIdentity(nin: string): Identity {
  const digit = (position: number) => Number(nin[position] ?? 0);
  const pick = (names: readonly string[], position: number) => names[(digit(position) * 10 + digit(position + 1)) % names.length] ?? '';
  const two = (value: number) => String(value).padStart(2, '0');
  return {
    requestID: `mock-request-${nin.slice(-4)}`,
    pseudoID: `mock-pseudo-${nin.slice(-4)}`,
    consentID: `mock-consent-${nin.slice(-4)}`,
    biographicData: {
      firstName: pick(FIRST_NAMES, 2),
      middleName: pick(FIRST_NAMES, 4),
      lastName: pick(LAST_NAMES, 6),
      dateOfBirth: `19${two(60 + ((digit(8) * 4) % 40))}-${two(1 + digit(9))}-${two(1 + digit(10) * 3)}`,
      gender: digit(10) % 2 ? 'F' : 'M',
      residenceAddressLine1: `${1 + digit(3)} Mock Street`,
      residenceAddressLine2: 'Lagos',
    },
    biometricData: [{ biometricType: 'FACE', biometricSubType: 'FRONT', image: IMAGE }],
    contactData: { phone1: `0800000${nin.slice(-4)}` },
    tax_details: { tax_id: `MOCK-TAX-${nin.slice(-4)}` },
  };
}
