import type { Sent } from '../schema/sent-words.js';
import { readRepeated } from './duplicate.js';
import type { Answer } from './settings.js';

/** A member of a JSON object; undefined for everything that is no object. */
const member = (body: unknown, name: string): unknown => (typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined);

/** What a body says in words: `message`, which some gateways send as a list, else `error`. */
export function messageOf(body: unknown): string | undefined {
  for (const said of [member(body, 'message'), member(body, 'error')]) {
    if (typeof said === 'string' && said.trim()) return said;
    if (Array.isArray(said)) return said.filter((line) => typeof line === 'string').join('; ') || undefined;
  }
  return undefined;
}

/**
 * Whether a 2xx answer means that the report is recorded (our decision): its body is JSON or empty, and that
 * JSON does not say otherwise. Anything else may come from a captive portal or a proxy; 206 is a part of an answer.
 */
export function isRecorded({ status, body, json }: Answer): boolean {
  if (!json || status === 206) return false;
  const error = member(body, 'error');
  const hasError = error !== undefined && error !== null && error !== false && error !== '';
  return member(body, 'success') !== false && !hasError && !(Number(member(body, 'statusCode')) >= 400);
}

/** No refusal says so much; it would cost more to read than it can tell. */
const LONGEST_MESSAGE = 4_096;

/**
 * Whether a refusal means that the gateway holds this report already (our decision: the specification gives no status): a 409
 * whose body is JSON or empty, or a 400 or 422 whose words say so of this report. `sent` is asked for what was sent, since an
 * operator's own words must not be taken for the gateway's.
 */
export function isDuplicate({ status, body, json }: Answer, sent: () => Sent): 'same' | 'conflict' | false {
  if (!json || (status !== 409 && status !== 400 && status !== 422)) return false;
  const message = messageOf(body);
  if (message === undefined) return status === 409 && 'same';
  if (message.length > LONGEST_MESSAGE) return false;
  const { repeated, different } = readRepeated(message, sent());
  if (different === undefined || !(repeated || status === 409)) return false;
  return different ? 'conflict' : 'same';
}
