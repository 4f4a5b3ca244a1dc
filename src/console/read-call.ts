import { readBody } from '../platform/body.js';
import { type Clock, withTimeout } from '../platform/time.js';
import { invalid, refusals, refuse } from './answers.js';

const MOST_BYTES = 1024 * 1024;
const LONGEST_MS = 30_000;

/** Reads what a call sends: a JSON object, within its size and its time. */
export async function readCall(request: Request, clock: Clock): Promise<Readonly<Record<string, unknown>>> {
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BYTES) refuse(refusals.tooLarge);
  const read = await withTimeout((signal) => readBody(new Response(request.body), signal, MOST_BYTES), { clock, milliseconds: LONGEST_MS });
  if (read.ended === 'timeout') return refuse(refusals.tooSlow);
  // The connection broke, so this answer is not read.
  if (read.ended !== 'done') return refuse(invalid('The body broke off. Nothing was changed.'));
  return parse(read.value ?? refuse(refusals.tooLarge));
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Answered below, as any other body that is not an object.
  }
  return refuse(invalid('The body must be a JSON object. Nothing was changed.'));
}
