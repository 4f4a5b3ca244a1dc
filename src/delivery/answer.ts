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
 * JSON does not say otherwise. Anything else may come from a captive portal or a proxy.
 */
export function isRecorded({ body, json }: Answer): boolean {
  if (!json) return false;
  const error = member(body, 'error');
  const hasError = error !== undefined && error !== null && error !== false && error !== '';
  return member(body, 'success') !== false && !hasError && !(Number(member(body, 'statusCode')) >= 400);
}

const DUPLICATE = /\bduplicate|\balready\s+(?:been\s+)?(?:reported|recorded|settled|submitted|processed|exists?)\b/i;
const OTHER_DATA = /\bdifferent\b|\bother\s+data\b/i;

/** Whether a refusal means that the gateway holds this report already (our decision: the specification gives no status). */
export function isDuplicate({ status, body }: Answer): 'same' | 'conflict' | false {
  const message = messageOf(body) ?? '';
  if (status !== 409 && !((status === 400 || status === 422) && DUPLICATE.test(message))) return false;
  return OTHER_DATA.test(message) ? 'conflict' : 'same';
}
