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
/** Said of what should be, not of what is. */
const NEGATED = /\b(?:not|never|must|should)(?:\s+(?:not|be|been|yet|a))*\s+(?:already|duplicate)\b/i;
const OTHER_DATA = /\bdifferent\b|\bother\s+data\b/i;

/** Whether a refusal means that the gateway holds this report already (our decision: the specification gives no status). */
export function isDuplicate({ status, body }: Answer, withoutSent: (text: string) => string = String): 'same' | 'conflict' | false {
  const message = withoutSent(messageOf(body) ?? '');
  const says = (status === 400 || status === 422) && DUPLICATE.test(message) && !NEGATED.test(message);
  if (status !== 409 && !says) return false;
  return OTHER_DATA.test(message) ? 'conflict' : 'same';
}
