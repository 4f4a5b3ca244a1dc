import { messageOf } from '../../core/delivery/answer.js';
import { secretsOf } from '../../core/delivery/call-user-function.js';
import { readAnswer } from '../../core/delivery/failures.js';
import type { Transport } from '../../core/delivery/transport.js';
import { asRecord, isRecord } from '../../core/platform/as-record.js';
import { holdsPiece, maskDetails, maskSent } from '../../core/redact/redact.js';
import type { SentValue } from '../../core/schema/sent.js';

/** A key that no gateway issues. */
export const WRONG_KEY = 'location-sdk-check-wrong-key';

/** May be shared: it holds neither the key nor the personal data of a body. */
interface CheckExchange {
  readonly about: string;
  readonly path: string;
  /** Undefined if no answer came. */
  readonly status?: number;
  /** The JSON as an error shows it, or a description of another body. */
  readonly body?: string;
  /** The message alone. */
  readonly said?: string;
  readonly codes?: string;
  readonly durationMs: number;
  /** The answer's `Date`, and our time halfway through the request. */
  readonly clock?: { readonly theirs: number; readonly ours: number };
}

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder(transport: Transport) {
  const exchanges: CheckExchange[] = [];
  // A function may return another key each time, and an answer may repeat an earlier key.
  const keys = new Set<string>();
  let about = '';

  // The sent data may be shown: it is made up.
  const secrets = (): SentValue[] => [...keys].map((key) => ({ text: key, kind: 'secret' }));

  return {
    exchanges,
    label: (next: string): void => {
      about = next;
    },
    /** Masks every sent key, and every other sent header, in the gateway's part of an error's message. */
    maskKeys: (message: string): string =>
      message.replace(
        /( The gateway said: ")(.*)(")/s,
        (_, before: string, said: string, after: string) =>
          before + maskSent(said, secrets(), referencesIn(said)) + after,
      ),
    transport: {
      async send(asked, limit) {
        // The wrong key is made up, and its words may occur in any answer.
        for (const secret of secretsOf(asked.headers)) if (secret !== WRONG_KEY) keys.add(secret);
        const request = { about, path: new URL(asked.url).pathname };
        const began = Date.now();
        const since = performance.now();
        const attempted = await transport.send(asked, limit);
        const durationMs = Math.round((performance.now() - since) * 10) / 10;
        if (attempted.ended !== 'answered') {
          exchanges.push({ ...request, durationMs });
          return attempted;
        }
        const { status, header, text } = attempted;
        const theirs = Date.parse(header('date') ?? '');
        exchanges.push({
          ...request,
          status,
          ...describeBody(status, text, secrets(), referencesIn(asked.body)),
          durationMs,
          ...(!Number.isNaN(theirs) && { clock: { theirs, ours: began + durationMs / 2 } }),
        });
        return attempted;
      },
    } satisfies Transport,
  };
}

const referencesIn = (text: string): readonly string[] => text.match(/SDK-CHECK-[a-z]+(?:-W)?/g) ?? [];

function describeBody(
  status: number,
  text: string | undefined,
  secrets: readonly SentValue[],
  references: readonly string[],
): Pick<CheckExchange, 'body' | 'said' | 'codes'> {
  if (text === undefined) return { body: 'too long to be read' };
  const { body, json } = readAnswer(status, text);
  if (body === undefined) return { body: json ? 'empty' : 'too long to be read' };
  if (!json) return { body: /^\s*<(?:!doctype|html)/i.test(text) ? 'an HTML page' : 'not JSON' };
  const said = messageOf(body);
  const masked = maskDetails(body, secrets, references);
  // The answer to a made-up report is about no person.
  const codes = references.length > 0 && isRecord(masked) ? codesIn(body, status, secrets) : [];
  return {
    body: JSON.stringify(isRecord(masked) ? { ...masked, ...Object.fromEntries(codes) } : masked),
    ...(said && { said: maskSent(said, secrets, references) }),
    ...(codes.length > 0 && { codes: codes.map(([name, code]) => `, ${name} ${JSON.stringify(code)}`).join('') }),
  };
}

/** Short codes, such as `DUP` or 26, which the option isDuplicate may have to test. */
function codesIn(body: unknown, status: number, secrets: readonly SentValue[]) {
  const isSecret = (code: string) =>
    secrets.some(({ text }) => text.toLowerCase().includes(code) || holdsPiece(code, text.toLowerCase()));
  return Object.entries(asRecord(body)).filter(
    ([name, code]) =>
      /^[a-z_]{0,20}(?:code|type)$/i.test(name) &&
      (typeof code === 'string' || typeof code === 'number') &&
      /^[\w.-]{1,24}$/.test(`${code}`) &&
      code !== status &&
      !isSecret(`${code}`.toLowerCase()),
  );
}

export const describeExchange = ({ status, body, said, codes = '' }: CheckExchange): string =>
  status === undefined ? 'no answer' : `HTTP ${status}, ${said === undefined ? body : JSON.stringify(said) + codes}`;

/** Undefined if no answer came. */
export function latencyOf(exchanges: readonly CheckExchange[]) {
  const durations = exchanges
    .filter(({ status }) => status !== undefined)
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
  const medianMs = durations[Math.floor(durations.length / 2)];
  const slowestMs = durations.at(-1);
  return medianMs === undefined || slowestMs === undefined
    ? undefined
    : { answers: durations.length, medianMs, slowestMs };
}
