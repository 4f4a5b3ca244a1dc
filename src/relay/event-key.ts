import { sha256 } from '../platform/hash.js';

/** What an event is remembered under: hashes, so that nothing of it is kept there. */
export interface EventKey {
  /** The same for the same event of the same player. */
  readonly event: string;
  /** The same for the same player. */
  readonly player: string;
}

/** What makes two events the same, as plain data. */
export interface EventIdentity {
  readonly operation: string;
  readonly environment: string | undefined;
  readonly player: unknown;
  /** The one that is reported: the operator may give another than the page's, or a new one each time. */
  readonly reference: unknown;
  /** What the page says. What the operator adds is not in it: it has to be asked for anew, and may have changed. */
  readonly page: unknown;
}

/** Hashes what makes an event the same, however its page writes it. */
export async function eventKeyOf({ operation, environment, player, reference, page }: EventIdentity): Promise<EventKey> {
  const [event, ofPlayer] = await Promise.all([hash([operation, environment ?? null, player, reference ?? null, page]), hash(player)]);
  return { event, player: ofPlayer };
}

/** Plain data as one text, whatever the order of its members. */
export const canonical = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => (isMembers(part) ? sorted(part) : part)) ?? '';

const isMembers = (part: unknown): part is object => typeof part === 'object' && part !== null && !Array.isArray(part);

const sorted = (members: object) =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

const hash = (value: unknown): Promise<string> => sha256(canonical(value));
