import { asRecord } from '../platform/as-record.js';
import type { Sent } from '../schema/sent.js';
import { readRepeated } from './duplicate.js';
import type { Answer } from './settings.js';

/** The message of a body: `message`, which some gateways send as a list, else `error`. */
export function messageOf(body: unknown): string | undefined {
  const { message, error } = asRecord(body);
  for (const said of [message, error]) {
    if (typeof said === 'string' && said.trim()) return said;
    if (Array.isArray(said)) return said.filter((line) => typeof line === 'string').join('; ') || undefined;
  }
  return undefined;
}

/**
 * Whether a 2xx answer means that the report is recorded (our decision): its body is JSON or empty, and the JSON
 * reports no error. Any other body may come from a captive portal or a proxy. 206 is a partial answer.
 */
export function isRecorded({ status, body, json }: Answer): boolean {
  if (!json || status === 206) return false;
  const { error, success, statusCode } = asRecord(body);
  const hasError = error !== undefined && error !== null && error !== false && error !== '';
  return success !== false && !hasError && !(Number(statusCode) >= 400);
}

/** Real refusals are shorter. A longer text would cost more to read than it is worth. */
const LONGEST_TEXT = 4_096;
const MOST_PARTS = 1_000;

/** All strings of a body. `recorded: false` is read as "not recorded". Undefined if they are longer than a refusal. */
function stringsOf(body: unknown): string[] | undefined {
  const parts = [body];
  const strings: string[] = [];
  let length = 0;
  // The list grows while it is read, so a deep body needs no deep stack.
  for (const part of parts) {
    if (typeof part === 'string') {
      strings.push(part);
      length += part.length;
    } else if (typeof part === 'object' && part !== null) {
      for (const [name, inner] of Object.entries(part)) parts.push(inner === false ? `not ${name}` : inner);
    }
    if (length > LONGEST_TEXT || parts.length > MOST_PARTS) return undefined;
  }
  return strings;
}

/**
 * Whether a refusal means that the gateway already has this report (our decision: the specification gives no status). A
 * 409, 400 or 422 needs words that say so about this report: its message, or a code such as `DUPLICATE_REPORT`. No
 * other word of the answer may deny it. A status alone proves nothing, since any server between may send it. `sent`
 * returns the sent values, since an operator's own words must not be taken for the gateway's.
 */
export function isDuplicate({ status, body, json }: Answer, sent: () => Sent): 'same' | 'conflict' | false {
  if (!json || (status !== 409 && status !== 400 && status !== 422)) return false;
  const strings = stringsOf(body);
  if (strings === undefined || strings.length === 0) return false;
  const { repeated, different, denied } = readRepeated({ status, message: messageOf(body) ?? '', strings }, sent());
  if (!repeated || different === undefined) return false;
  if (different) return 'conflict';
  return !denied && 'same';
}
