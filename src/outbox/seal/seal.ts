import { ConfigurationError } from '../../core/errors/errors.js';
import { sha256 } from '../../core/platform/hash.js';
import { subjectOf } from '../../core/platform/messages.js';
import { issue, type ValidationIssue } from '../../core/schema/issue.js';
import type { Row } from '../rules/state-machine.js';
import type { OutboxStore } from '../store/store.js';

/** The report of a body, to which the sealed bytes are bound. */
export type SealContext = Pick<Row, 'id' | 'account' | 'environment' | 'operation' | 'reference'>;

/** An account contains no space, so no report's id begins with this. */
const EXCERPT = 'excerpt of ';

/** The context of an excerpt, which cannot be exchanged with the body. */
export const ofExcerpt = (about: SealContext): SealContext => ({ ...about, id: `${EXCERPT}${about.id}` });

export const isOfExcerpt = ({ id }: SealContext): boolean => id.startsWith(EXCERPT);

interface Sealed {
  /** The sealed bytes as text, which every database can store. */
  readonly body: string;
  /** Identifies the bytes, also after the body was deleted. */
  readonly fingerprint: string;
}

/** Seals bodies before they are stored, and opens them before they are sent. */
export interface Seal {
  /** Called once when the outbox is made. A failure shows again when the seal is used. */
  prepare(): Promise<unknown>;
  seal(body: string, about: SealContext): Promise<Sealed>;
  fingerprint(text: string): Promise<string>;
  /**
   * Opens a sealed body. Rejects with the error of `missingKey`: the rows that need the key wait. With any other
   * `ConfigurationError`: no body can be opened, and the environment is paused. With any other error: the bytes are
   * damaged, and the row is quarantined.
   */
  open(sealed: string, about: SealContext & Pick<Row, 'fingerprint'>): Promise<string>;
  /** Whether a fingerprint is that of these bytes. Rejects as `open` does if a key is missing. */
  matches(fingerprint: string, body: string, about: SealContext): Promise<boolean>;
}

const KEY_ID = Symbol('missing key');

export function missingKey(keyId: string, why = 'is not among encryption.keys'): ConfigurationError {
  const error = new ConfigurationError(
    `The key ${JSON.stringify(keyId)} ${why}. Nothing is lost: give the outbox that key, and the waiting reports are sent.`,
  );
  return Object.defineProperty(error, KEY_ID, { value: keyId });
}

export const missingKeyOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null ? (error as { [KEY_ID]?: string })[KEY_ID] : undefined;

/** Whether a stored report has these bytes. Rejects if the key of its fingerprint is missing. */
export async function hasBytes(seal: Seal, row: Row, body: string): Promise<boolean> {
  try {
    return await seal.matches(row.fingerprint, body, row);
  } catch (error) {
    const keyId = missingKeyOf(error);
    throw keyId === undefined ? error : cannotCompare(row, keyId);
  }
}

function cannotCompare({ state, inDoubt, operation, reference, environment }: Row, keyId: string): ConfigurationError {
  const what = `it is stored already (${state}), and cannot be compared with your data without the key ${JSON.stringify(keyId)}`;
  return new ConfigurationError(
    `${subjectOf({ operation, reference })}: ${what}. Nothing was enqueued. Give the outbox that key, or compare your records.`,
    {
      operation,
      reference,
      environment: environment === 'relay' ? undefined : environment,
      outcome: state === 'waiting' && !inDoubt ? 'not-sent' : 'unknown',
    },
  );
}

export type MakeSeal = (encryption: unknown) => {
  readonly issues: readonly ValidationIssue[];
  over(store: Pick<OutboxStore, 'getOrCreateSetting'>): Seal;
};

/** Stores the body of a page in plain text: it names no player, and a key would be stored beside it. */
const plainSeal = (): Seal => ({
  prepare: async () => {},
  seal: async (body) => ({ body, fingerprint: await sha256(body) }),
  fingerprint: sha256,
  async open(body) {
    if (body[0] !== '{') throw new ConfigurationError('The stored report is encrypted; import location-sdk/outbox.');
    return body;
  },
  matches: async (fingerprint, body) => fingerprint === (await sha256(body)),
});

export const makePlainSeal: MakeSeal = (given) => ({
  issues:
    given === undefined
      ? []
      : [issue(['encryption'], 'invalid', 'is not in the script-tag file; import location-sdk/outbox')],
  over: plainSeal,
});
