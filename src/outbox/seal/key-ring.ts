import { ConfigurationError } from '../../core/errors/errors.js';
import { hmacSha256, MUST_BE_EXTRACTABLE } from '../../core/platform/hash.js';
import type { OutboxStore } from '../store/store.js';
import { type Bytes, fromBase64, KEY_BYTES, type ReadEncryption, toBase64, utf8 } from './encryption.js';
import { missingKey } from './seal.js';

export interface DerivedKeys {
  readonly id: string;
  /** Tells this key from another one under the same id, without revealing it. */
  readonly check: string;
  readonly body: CryptoKey;
  readonly fingerprint: CryptoKey;
}

/** The id of the outbox's own key. The user's ids never equal it. */
export const OWN_KEY = '-';
export const OWN_SECRET = 'fingerprint-key';
const CHECK_DIGITS = 8;

export const newSecret = (): string => toBase64(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));

async function derive(id: string, key: Bytes): Promise<DerivedKeys> {
  const base = await crypto.subtle.importKey('raw', key, 'HKDF', false, ['deriveKey']);
  const from = (purpose: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: utf8(`location-sdk outbox ${purpose}`),
  });
  const [body, fingerprint] = await Promise.all([
    crypto.subtle.deriveKey(from('body'), base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']),
    crypto.subtle.deriveKey(
      from('fingerprint'),
      base,
      { name: 'HMAC', hash: 'SHA-256', length: 256 },
      MUST_BE_EXTRACTABLE,
      ['sign'],
    ),
  ]);
  const check = (await hmacSha256(fingerprint, 'check')).slice(0, CHECK_DIGITS);
  return { id, check, body, fingerprint };
}

/** The keys of an outbox, each derived once. Without encryption there is one key, which is stored. */
export function createKeyRing(store: Pick<OutboxStore, 'getOrCreateSetting'>, encryption: ReadEncryption | undefined) {
  const derived = new Map<string, Promise<DerivedKeys>>();

  function once(id: string, make: () => Promise<DerivedKeys>): Promise<DerivedKeys> {
    const known = derived.get(id);
    if (known) return known;
    const made = make();
    derived.set(id, made);
    // After a failure of the store, the next call tries again.
    made.catch(() => derived.delete(id));
    return made;
  }

  const ownKey = () =>
    once(OWN_KEY, async () => {
      const kept = fromBase64(await store.getOrCreateSetting(OWN_SECRET, newSecret()));
      if (kept?.length !== KEY_BYTES)
        throw new ConfigurationError(`The setting ${OWN_SECRET} in the store of the outbox is damaged.`);
      return derive(OWN_KEY, kept);
    });

  async function givenKey(id: string): Promise<DerivedKeys> {
    const key = encryption?.keys.get(id);
    if (!key) throw missingKey(id);
    return once(id, () => derive(id, key));
  }

  return {
    encrypts: encryption !== undefined,
    current: (): Promise<DerivedKeys> => (encryption ? givenKey(encryption.current) : ownKey()),
    /** The key of a body or fingerprint. Rejects with the error of `missingKey` without it. */
    async find(id: string, check: string): Promise<DerivedKeys> {
      const keys = await (id === OWN_KEY ? ownKey() : givenKey(id));
      // The outbox's own key never changes, so this one will never be available here.
      if (keys.check !== check && id === OWN_KEY) throw new Error('It was sealed by the outbox of another store.');
      if (keys.check !== check) throw missingKey(id, 'is not the key that was used for sealing');
      return keys;
    },
  };
}
