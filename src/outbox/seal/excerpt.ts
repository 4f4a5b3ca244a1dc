import { ConfigurationError, LocationError } from '../../core/errors/errors.js';
import { asRecord } from '../../core/platform/as-record.js';
import { type OperationName, operationNames, operations } from '../../core/protocol/operations.js';
import { contentsOf } from '../../core/protocol/repeats.js';
import type { Location } from '../../core/schema/location.js';
import type { Row } from '../rules/state-machine.js';
import type { OutboxStore } from '../store/store.js';
import { OWN_KEY } from './key-ring.js';
import { hasBytes, missingKeyOf, ofExcerpt, type Seal, type SealContext } from './seal.js';
import { keyIdOf } from './standard-seal.js';

interface Excerpt {
  /** The fingerprint of the body, so that the excerpt of other bytes is not used. */
  readonly of: string;
  readonly user?: { readonly user_id: unknown };
  readonly userId?: unknown;
  readonly location: unknown;
}

/** The prefix of an erased excerpt. The id of the decision follows. */
const ERASED = 'erased ';

/** An excerpt outlives the body of a settled report with a location, and of its initiated one: later calls need it. */
const isExcerpted = (operation: OperationName): boolean =>
  operationNames.some((name) => {
    const row = operations[name];
    return row.location === 'field' && (name === operation || row.after === operation);
  });

/**
 * The excerpt of a body: the location, and the player's id, by which it is found and erased. And for an event that a
 * page may repeat, the fingerprint of its contents: with another time or place it is the same report.
 */
async function makeExcerpt(
  seal: Seal,
  about: SealContext & Pick<Row, 'fingerprint'>,
  body: string,
): Promise<string | undefined> {
  const event = asRecord(JSON.parse(body));
  const sealed = isExcerpted(about.operation) ? await sealLocation(seal, about, event) : undefined;
  const contents = operations[about.operation].browser ? await seal.fingerprint(contentsOf(event)) : undefined;
  if (!sealed && contents === undefined) return undefined;
  const parts = [sealed?.body ?? null, sealed?.fingerprint ?? null];
  return JSON.stringify(contents === undefined ? parts : [...parts, contents]);
}

async function sealLocation(
  seal: Seal,
  about: SealContext & Pick<Row, 'fingerprint'>,
  { user, userId, location }: Readonly<Record<string, unknown>>,
) {
  if (location === undefined) return undefined;
  const { user_id: name } = asRecord(user);
  const excerpt: Excerpt = {
    of: about.fingerprint,
    ...(name !== undefined && { user: { user_id: name } }),
    ...(userId !== undefined && { userId }),
    location,
  };
  return seal.seal(JSON.stringify(excerpt), ofExcerpt(about));
}

/** The parts of an excerpt. Empty if it was erased or is damaged. */
function partsOf(excerpt: string | undefined): readonly unknown[] {
  if (excerpt === undefined || !excerpt.startsWith('[')) return [];
  try {
    const parts: unknown = JSON.parse(excerpt);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function sealedIn(excerpt: string | undefined): { readonly body: string; readonly fingerprint: string } | undefined {
  const [body, fingerprint] = partsOf(excerpt);
  return typeof body === 'string' && typeof fingerprint === 'string' ? { body, fingerprint } : undefined;
}

/** Whether a row still holds personal data. Its fingerprints are keyed, and stay. */
export const holdsPersonalData = ({ body, excerpt }: Pick<Row, 'body' | 'excerpt'>): boolean =>
  body !== undefined || sealedIn(excerpt) !== undefined;

/** Whether a stored event has these contents, at any time and place. Rejects without the key to compare them. */
export async function hasContents(seal: Seal, row: Row, contents: string): Promise<boolean> {
  // A body that cannot be opened is judged by its fingerprint, when the event is enqueued.
  if (row.body !== undefined) {
    const body = await seal.open(row.body, row).catch(() => '{}');
    return contentsOf(asRecord(JSON.parse(body))) === contents;
  }
  const [, , fingerprint] = partsOf(row.excerpt);
  return typeof fingerprint === 'string' && hasBytes(seal, { ...row, fingerprint }, contents);
}

export const erasedMark = (decision: string): string => `${ERASED}${decision}`;

export const erasedBy = ({ excerpt }: Pick<Row, 'excerpt'>): string | undefined =>
  excerpt?.startsWith(ERASED) ? excerpt.slice(ERASED.length) : undefined;

export const keyIdOfExcerpt = ({ excerpt }: Pick<Row, 'excerpt'>): string | undefined => {
  const sealed = sealedIn(excerpt);
  const keyId = sealed && keyIdOf(sealed.body);
  return keyId === OWN_KEY ? undefined : keyId;
};

/** The body of a report, or its excerpt. Rejects as `Seal.open` does. */
export async function openKept(seal: Seal, row: Row): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (row.body !== undefined) return asRecord(JSON.parse(await seal.open(row.body, row)));
  const sealed = sealedIn(row.excerpt);
  if (!sealed) return undefined;
  const { body, fingerprint } = sealed;
  const excerpt = asRecord(JSON.parse(await seal.open(body, { ...ofExcerpt(row), fingerprint })));
  return excerpt.of === row.fingerprint ? excerpt : undefined;
}

const isLocation = (value: unknown): value is Location => {
  const { latitude, longitude, source } = asRecord(value);
  return typeof latitude === 'number' && typeof longitude === 'number' && typeof source === 'string';
};

const locationOf = (kept: { readonly location?: unknown } | undefined): Location | undefined =>
  isLocation(kept?.location) ? kept.location : undefined;

/** The location of a stored report. Undefined if it has none, or if it cannot be read here. */
export const keptLocation = async (seal: Seal, row: Row): Promise<Location | undefined> =>
  locationOf(await openKept(seal, row).catch(() => undefined));

/** As `keptLocation`, but rejects without the key: another location could be reported in place of the stored one. */
export async function locationFor(seal: Seal, row: Row): Promise<Location | undefined> {
  const kept = await openKept(seal, row).catch((error) => {
    const keyId = missingKeyOf(error);
    if (keyId === undefined) return undefined;
    throw new ConfigurationError(
      `${row.operation} ${row.reference} (${row.environment}): its stored location cannot be read without the key ${JSON.stringify(keyId)}. Nothing was enqueued: give the outbox that key, or pass the location.`,
    );
  });
  return locationOf(kept);
}

/** Keeps the locations of withdrawals, and finds them for their settlements. */
export const createExcerpts = ({ store, seal }: { readonly store: OutboxStore; readonly seal: Seal }) => ({
  make: (about: SealContext & Pick<Row, 'fingerprint'>, body: string) => makeExcerpt(seal, about, body),
  /** Its location is gone, so the same call may have found another one. */
  erasedAdvice: (row: Row): string | undefined =>
    erasedBy(row) === undefined
      ? undefined
      : `It is ${row.state}, and a person erased its data. A call that finds another location is other data.`,
  /** The error of a settled report without a location, if no earlier report had one. */
  missedLocation: (error: unknown): LocationError | undefined =>
    error instanceof LocationError
      ? new LocationError(
          `${error.message} The outbox has no location of the initiated report, or it was erased: enqueue that report first, or pass its location.`,
          error,
        )
      : undefined,
  /**
   * The first location in the rows with these ids. With `transaction`, as the user's transaction sees them. Rejects if
   * the key of a location is missing.
   */
  async locationIn(ids: readonly string[], transaction: unknown): Promise<Location | undefined> {
    for (const row of await store.get(ids, transaction)) {
      const location = row && (await locationFor(seal, row));
      if (location) return location;
    }
    return undefined;
  },
});

export type Excerpts = ReturnType<typeof createExcerpts>;
