import { consoleOver } from '../../../src/http/console/console.js';
import type { ConsoleOptions, ConsoleVisitor } from '../../../src/http/console/console-options.js';
import { readConsoleSettings } from '../../../src/http/console/console-options.js';
import { OperatorRefusal } from '../../../src/operator/context.js';
import type { Operator } from '../../../src/operator/operator.js';

export const SITE = 'https://ops.example';
export const PAGE = `${SITE}/console`;
export const callAt = (name: string) => `${PAGE}/api/${name}`;

/** Data that note each call and give nothing. */
function recordingData(
  calls: { name: string; given: readonly unknown[] }[],
  more: Partial<Operator>,
  secret: string,
): Operator {
  const note =
    (name: string) =>
    async (...given: unknown[]): Promise<never> => {
      calls.push({ name, given });
      throw new OperatorRefusal('not-found', 'There is no such thing.');
    };
  const noteLines = (name: string) =>
    async function* (...given: unknown[]): AsyncGenerator<never> {
      calls.push({ name, given });
      yield* [];
    };
  return {
    accounts: undefined,
    secret: async () => secret,
    overview: note('overview'),
    charts: note('charts'),
    groups: note('groups'),
    search: note('search'),
    report: note('report'),
    body: note('body'),
    preview: note('preview'),
    decide: note('decide'),
    decideFile: note('decideFile'),
    undo: note('undo'),
    decisions: note('decisions'),
    resume: note('resume'),
    proof: { verify: noteLines('verify'), reconcile: noteLines('reconcile') },
    ...more,
  };
}

/** Colleagues by the session's cookie. */
export const COLLEAGUES: Readonly<Record<string, ConsoleVisitor>> = {
  ada: { name: 'ada@ops.example', mayAct: true, mayReadBodies: true },
  bola: { name: 'bola@ops.example', mayAct: true },
  chidi: { name: 'chidi@ops.example' },
};

export interface Sending {
  url?: string;
  method?: string;
  /** A header that is undefined is left out. */
  headers?: Record<string, string | undefined>;
  /** An object is sent as JSON, a text, bytes or a stream as they are. */
  body?: unknown;
  /** Whose token goes along; default: that of the session's colleague. */
  token?: string | undefined;
}

type Options = Partial<Omit<ConsoleOptions, 'outbox'>>;

/** A console over data that note what they are asked for, as its page uses it. */
export function consoleWorld(options: Options = {}, more: Partial<Operator> = {}, secret = 'a secret of the store') {
  const calls: { name: string; given: readonly unknown[] }[] = [];
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const settings = readConsoleSettings({
    outbox: {},
    authorize: (request) => {
      const name = /(?:^|; )session=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? '';
      return Object.hasOwn(COLLEAGUES, name) && COLLEAGUES[name];
    },
    logger: { debug: line, info: line, warn: line, error: line },
    ...options,
  });
  const handler = consoleOver(recordingData(calls, more, secret), settings);

  async function send(sending: Sending = {}) {
    const response = (await handler(requestOf(sending))) as Response;
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** The token that the page of a colleague has. */
  const tokenOf = async (name: string): Promise<string> =>
    (await send({ url: callAt('session'), headers: { cookie: `session=${name}` }, body: {} })).body.token;

  /** A call of the page of a colleague who may do everything. */
  const act = async (name: string, body: unknown, sending: Sending = {}) => {
    const token = 'token' in sending ? sending.token : await tokenOf('ada');
    return send({ url: callAt(name), body, ...sending, headers: { 'x-console-token': token, ...sending.headers } });
  };
  return { handler, send, act, tokenOf, calls, lines };
}

/** A request as the page's browser sends it. */
export function requestOf({ url = callAt('overview'), method = 'POST', headers = {}, body = {} }: Sending): Request {
  const all = {
    origin: SITE,
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
    'content-type': 'application/json',
    'x-location-sdk': '1',
    cookie: 'session=ada',
    ...headers,
  };
  const set = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  const sent = method === 'GET' || method === 'HEAD' ? null : isRaw ? body : JSON.stringify(body);
  return new Request(url, { method, headers: set, body: sent, duplex: 'half' } as RequestInit);
}

/** A person who opens the page in a browser. */
export const opening = (more: Sending = {}): Sending => ({
  url: PAGE,
  method: 'GET',
  ...more,
  headers: {
    origin: undefined,
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    ...more.headers,
  },
});
