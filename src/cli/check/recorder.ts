import { messageOf } from '../../delivery/answer.js';
import { secretsOf } from '../../delivery/ask-option.js';
import { readAnswer } from '../../delivery/failures.js';
import type { Transport } from '../../delivery/transport.js';
import { maskDetails, maskSent } from '../../redact/redact.js';
import type { SentValue } from '../../schema/sent.js';

/** A key that no gateway issues. */
export const WRONG_KEY = 'location-sdk-check-wrong-key';

/** A request and its answer, in a form that may be shared: without the key, and without the personal data of a body. */
interface CheckExchange {
  readonly about: string;
  readonly path: string;
  /** Undefined if no answer came. */
  readonly status?: number;
  /** The JSON of the answer as an error shows it, or a description of a body that is not JSON. */
  readonly body?: string;
  /** The message alone. */
  readonly said?: string;
  /** From the request to the end of the answer. */
  readonly durationMs: number;
  /** The answer's `Date`, and this machine's time halfway through the request. */
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
    /** Masks every sent key, and every other sent header, in a text of the gateway. */
    maskKeys: (said: string): string => maskSent(said, secrets()),
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
          ...describeBody(status, text, secrets()),
          durationMs,
          ...(!Number.isNaN(theirs) && { clock: { theirs, ours: began + durationMs / 2 } }),
        });
        return attempted;
      },
    } satisfies Transport,
  };
}

function describeBody(
  status: number,
  text: string | undefined,
  secrets: readonly SentValue[],
): Pick<CheckExchange, 'body' | 'said'> {
  if (text === undefined) return { body: 'too long to be read' };
  const { body, json } = readAnswer(status, text);
  if (body === undefined) return { body: 'empty' };
  if (!json) return { body: /^\s*<(?:!doctype|html)/i.test(text) ? 'an HTML page' : 'not JSON' };
  const said = messageOf(body);
  return {
    body: JSON.stringify(maskDetails(body, secrets, [])),
    ...(said && { said: maskSent(said, secrets) }),
  };
}

export const describeExchange = ({ status, body, said }: CheckExchange): string =>
  status === undefined ? 'no answer' : `HTTP ${status}, ${said === undefined ? body : JSON.stringify(said)}`;

/** The times from the request to the end of the answer. Undefined if no answer came. */
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
