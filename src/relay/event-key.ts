import { sha256 } from '../platform/hash.js';

/** The keys under which an event is remembered: hashes, so that no data of the event is kept in them. */
export interface EventKey {
  /** The same for the same event of the same player. */
  readonly event: string;
  /** The same for the same player. */
  readonly player: string;
}

/** The data that identifies an event. */
export interface EventIdentity {
  readonly operation: string;
  readonly environment: string | undefined;
  readonly player: unknown;
  /** The reference that is reported. The operator may replace the page's, or make a new one each time. */
  readonly reference: unknown;
  /** The data from the page. The operator's additions are not included: they are read again for each request and may change. */
  readonly page: unknown;
}

/** Hashes the data that identifies an event, in any spelling of the JSON. */
export async function eventKeyOf({ operation, environment, player, reference, page }: EventIdentity): Promise<EventKey> {
  const [event, ofPlayer] = await Promise.all([hash([operation, environment ?? null, player, reference ?? null, page]), hash(player)]);
  return { event, player: ofPlayer };
}

/** Plain data as one text, in any order of the members. */
export const canonical = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => (isMembers(part) ? sorted(part) : part)) ?? '';

const isMembers = (part: unknown): part is object => typeof part === 'object' && part !== null && !Array.isArray(part);

const sorted = (members: object) =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

const hash = (value: unknown): Promise<string> => sha256(canonical(value));
