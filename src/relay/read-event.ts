import { type Clock, withTimeout } from '../platform/time.js';
import { issue } from '../schema/issue.js';
import { invalid, refusals, refuse } from './answers.js';
import { scanJson } from './scan-json.js';

const READS_WITHOUT_PAUSE = 1_024;

export interface BodyLimits {
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  readonly milliseconds: number;
}

const notJson = (message: string) => invalid([issue([], 'not-json', message)]);

/** Reads a request's body: a JSON object in UTF-8, within its size and time limits. */
export async function readEvent(request: Request, { clock, maxBodyBytes, milliseconds }: BodyLimits): Promise<Record<string, unknown>> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) refuse(refusals.tooLarge);
  const read = await withTimeout((signal) => readBytes(request, maxBodyBytes, signal), { clock, milliseconds });
  if (read.ended === 'timeout') return refuse(refusals.tooSlow);
  // The connection broke: no client reads the answer.
  if (read.ended !== 'done') return refuse(notJson('the body broke off'));
  const text = decode(read.value ?? refuse(refusals.tooLarge));
  // Checked before parsing: the parser silently keeps one of two values.
  const issues = scanJson(text);
  if (issues.length > 0) refuse(invalid(issues));
  const fields = parse(text);
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return refuse(notJson('expected an object'));
  return fields as Record<string, unknown>;
}

async function readBytes(request: Request, most: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (let reads = 1; ; reads += 1) {
    // A stream that always has something ready must not keep the timers from running.
    if (reads % READS_WITHOUT_PAUSE === 0) await new Promise((resolve) => setTimeout(resolve));
    const { done, value } = await reader.read();
    if (done) return join(pieces, bytes);
    bytes += value.byteLength;
    if (bytes > most) {
      cancel();
      return undefined;
    }
    // Empty pieces without end must not fill the memory.
    if (value.byteLength > 0) pieces.push(value);
  }
}

function join(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse(notJson('the body is not UTF-8'));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return refuse(notJson('the body is not JSON'));
  }
}
