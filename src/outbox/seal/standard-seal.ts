import { hmacSha256, sha256 } from '../../core/platform/hash.js';
import type { OutboxStore } from '../store/store.js';
import { fromBase64, type ReadEncryption, readEncryption, toBase64, utf8 } from './encryption.js';
import { createKeyRing, type DerivedKeys } from './key-ring.js';
import { isOfExcerpt, type MakeSeal, type Seal, type SealContext } from './seal.js';

/** The prefix of a sealed body. An unsealed one begins with a brace. */
const SEALED = 'sealed1';
const NONCE_BYTES = 12;

export function keyIdOf(body: string): string | undefined {
  const [kind, keyId] = body.split('.', 2);
  return kind === SEALED ? keyId : undefined;
}

/** The id of the key of a fingerprint. Undefined if it was made without encryption. */
export const keyIdOfFingerprint = (fingerprint: string): string | undefined =>
  /^([A-Za-z0-9][\w-]{0,63})\.[0-9a-f]{8}\.[0-9a-f]{64}$/.exec(fingerprint)?.[1];

/** The additional authenticated data: it binds the bytes to their row. */
const boundTo = ({ id, environment, operation, reference }: SealContext, keyId: string) =>
  utf8(JSON.stringify([SEALED, keyId, id, environment, operation, reference]));

/**
 * The default seal of an outbox. A fingerprint is `key id . check of the key . HMAC-SHA-256 of the body`. A plain hash
 * would reveal an eleven-digit number to a person who tries all of them.
 */
export function standardSeal(
  store: Pick<OutboxStore, 'getOrCreateSetting'>,
  encryption: ReadEncryption | undefined,
): Seal {
  const ring = createKeyRing(store, encryption);

  const fingerprintOf = async ({ id, check, fingerprint }: DerivedKeys, body: string): Promise<string> =>
    `${id}.${check}.${await hmacSha256(fingerprint, body)}`;

  async function matches(fingerprint: string, body: string): Promise<boolean> {
    const [keyId = '', check = '', digest] = fingerprint.split('.');
    // The plain hash of a page that used the script-tag file.
    if (check === '') return fingerprint === (await sha256(body));
    return digest !== undefined && fingerprint === (await fingerprintOf(await ring.find(keyId, check), body));
  }

  async function encrypt({ id, check, body: key }: DerivedKeys, body: string, about: SealContext): Promise<string> {
    // Random for each body. 96 bits are enough for 2^32 bodies under one key.
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData: boundTo(about, id) },
      key,
      utf8(body),
    );
    return [SEALED, id, check, toBase64(iv), toBase64(new Uint8Array(sealed))].join('.');
  }

  return {
    prepare: () => ring.current(),
    async seal(body, about) {
      const keys = await ring.current();
      const [fingerprint, kept] = await Promise.all([
        fingerprintOf(keys, body),
        // An excerpt stays when the body is deleted, so it is never in plain text.
        ring.encrypts || isOfExcerpt(about) ? encrypt(keys, body, about) : body,
      ]);
      return { body: kept, fingerprint };
    },
    fingerprint: async (text) => fingerprintOf(await ring.current(), text),
    async open(sealed, about) {
      if (sealed.startsWith('{')) {
        // The fingerprint shows that a body in plain text was not changed in the store.
        if (!(await matches(about.fingerprint, sealed))) throw new Error('The body is not the one that was enqueued.');
        return sealed;
      }
      const [kind, keyId = '', check = '', nonce = '', bytes = ''] = sealed.split('.');
      const [iv, data] = [fromBase64(nonce), fromBase64(bytes)];
      if (kind !== SEALED || !iv || !data) throw new Error('The sealed body is damaged.');
      const { body: key } = await ring.find(keyId, check);
      return new TextDecoder().decode(
        await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: boundTo(about, keyId) }, key, data),
      );
    },
    matches,
  };
}

export const makeStandardSeal: MakeSeal = (given) => {
  const { encryption, issues } = readEncryption(given);
  return { issues, over: (store) => standardSeal(store, encryption) };
};
