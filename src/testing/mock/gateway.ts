import type { Environment } from '../../core/errors/errors.js';
import { isRecord } from '../../core/platform/as-record.js';
import { readBody } from '../../core/platform/body.js';
import { type Clock, withTimeout } from '../../core/platform/time.js';
import { MOCK_LOCATION } from '../../core/protocol/mock-mode.js';
import { GATEWAY_PATH, type Operation, operationNames, operations } from '../../core/protocol/operations.js';
import type { ValidationMode } from '../../core/schema/model.js';
import { parseJson } from '../../core/web/read-json.js';
import { type MockAnswer, misbehave, refuse, unseenAnswer } from './answers.js';
import { apply, type Body, type Rules } from './apply.js';
import { createFaults, type SetFault } from './faults.js';
import type { MockClientOptions, MockGateway, WaitOptions } from './interface.js';
import { createJournal, type JournalEntry, type JournalQuery, matches } from './journal.js';
import { emptyLedgers, fromState, toLedger, toState } from './ledger.js';
import { maskAnswer, maskBody } from './mask.js';
import { type MockGatewayOptions, type RateLimitOptions, readMockOptions } from './options.js';
import { toResponse, type WireAnswer } from './wire.js';

/** An address that is only a name. No server listens there: the client's `fetch` is the gateway. */
const IN_PROCESS_ADDRESS = 'http://mock-gateway.localhost';

export const LONGEST_REQUEST = 1024 * 1024;

/** Whether a request declares a JSON body, as every request must (specification, section 5). */
const saysJson = ({ headers }: Request): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');

/** A page on another origin may call the gateway, and read these headers. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after, x-request-id' };
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept, x-api-key',
  'access-control-max-age': '600',
};

interface Route {
  readonly environment: Environment;
  readonly row: Operation;
}

type Listener = (entry: JournalEntry) => void;

const PRODUCTION = '/production';

/** The routes by path: staging at the address itself, production below `/production`. */
const routes = new Map<string, Route>(
  operationNames.flatMap((name) => {
    const row = operations[name];
    const path = GATEWAY_PATH + row.path;
    return [
      [path, { environment: 'staging', row }],
      [PRODUCTION + path, { environment: 'production', row }],
    ] as [string, Route][];
  }),
);

const PATHS = [...routes.keys()];

/**
 * Makes a mock gateway. Its state is in memory and it uses no network. It answers as `docs/background/assumptions.md`
 * describes: staging at its address and production below `/production`, each with its own reports.
 *
 * @example
 * ```ts
 * const gateway = createMockGateway();
 * const client = createClient(gateway.clientOptions());
 * await client.reportBetEvent(bet);
 * expect(gateway.reports()).toHaveLength(1);
 * ```
 */
export function createMockGateway<Mode extends ValidationMode = 'strict'>(
  options: MockGatewayOptions<Mode> = {},
): MockGateway<Mode> {
  const settings = readMockOptions('createMockGateway', options);
  const { apiKey, validation, seed, journalSize, clock, rateLimit } = settings;
  const rules: Rules = {
    validation,
    locationRequired: settings.location.required,
    requireInitiated: settings.requireInitiated,
    duplicateStatus: settings.duplicateStatus,
    identities: new Map(Object.entries(settings.identities)),
  };
  const journal = createJournal(journalSize);
  const pending = createPending(clock);
  const faults = createFaults(seed);
  const listeners = new Set<Listener>();
  let ledgers = emptyLedgers();
  let era = crypto.randomUUID();
  let resets = 0;
  let limiter = rateLimit && createRateLimiter(rateLimit);

  interface Handled {
    answer: MockAnswer;
    applied?: boolean;
    body?: Body | undefined;
    reference?: string | undefined;
    fault?: SetFault | undefined;
  }

  const applyReport = ({ environment, row }: Route, body: Body) =>
    apply(ledgers[environment], environment, row, body, rules);

  /** In the order of the checks: path, method, key, rate, fault, body, fields, ledger. */
  async function respond(request: Request, found: Route | undefined, key: JournalEntry['key']): Promise<Handled> {
    if (!found) return { answer: refuse(404, `There is no such path; known are ${PATHS.join(', ')}`) };
    if (request.method !== 'POST') return { answer: refuse(405, 'Use POST', { allow: 'POST' }) };
    if (key !== 'valid') return { answer: refuse(401, `API key is ${key}`) };
    const retryAfter = limiter?.(clock.now());
    if (retryAfter !== undefined)
      return { answer: refuse(429, 'Too many requests', { 'retry-after': String(retryAfter) }) };

    const { row } = found;
    const text = await readBody(request, undefined, LONGEST_REQUEST);
    const sent = text === undefined ? undefined : parseJson(text);
    const body = isRecord(sent) ? sent : undefined;
    const named = row.reference && body?.[row.reference];
    const reference = typeof named === 'string' ? named : undefined;
    const before = faults.strike('before', row.name, reference);
    const seen = { body, reference, fault: before };
    if (before && before.kind !== 'duplicate-delivery' && before.kind !== 'latency')
      return { ...seen, answer: unseenAnswer(before) };
    if (before?.kind === 'latency') {
      const began = resets;
      await pending.wait(faults.delayOf(before));
      if (resets !== began) return { ...seen, answer: refuse(503, 'The mock gateway was reset meanwhile') };
    }
    if (text === undefined) return { ...seen, answer: refuse(413, `The body is larger than ${LONGEST_REQUEST} bytes`) };
    if (!saysJson(request)) return { ...seen, answer: refuse(400, 'The content-type must be application/json') };
    if (!body) return { ...seen, answer: refuse(400, 'The body is not a JSON object') };

    const first = applyReport(found, body);
    const fault = before ?? faults.strike('after', row.name, reference);
    if (fault?.kind !== 'duplicate-delivery') return { ...seen, ...first, fault };
    const second = applyReport(found, body);
    return { ...seen, answer: second.answer, applied: first.applied || second.applied, fault };
  }

  async function handle(request: Request): Promise<WireAnswer> {
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method')) {
      return { status: 204, headers: PREFLIGHT, body: '', transport: { kind: 'whole' } };
    }
    const { pathname } = new URL(request.url);
    const found = routes.get(pathname);
    const given = request.headers.get('x-api-key');
    const key = !given ? 'missing' : given === apiKey ? 'valid' : 'invalid';
    const { answer, fault, body, reference, applied = false } = await respond(request, found, key);
    const { wire, delay, sent } = misbehave(answer, fault, faults.delayOf);
    const noted = journal.add({
      at: clock.now(),
      method: request.method,
      path: pathname,
      environment: found?.environment,
      operation: found?.row.name,
      reference,
      key,
      body: found && body && maskBody(found.row, body),
      status: wire.transport.kind === 'connection-reset' ? undefined : wire.status,
      answer: maskAnswer(sent),
      applied,
      fault: fault?.kind,
    });
    // Later, so that an error of a listener is uncaught, as with events, and the gateway continues.
    for (const listener of listeners) void Promise.resolve().then(() => listener(noted));
    if (delay === 'forever') await pending.wait();
    else if (delay > 0) await pending.wait(delay);
    return { ...wire, headers: { ...CORS, 'x-request-id': noted.requestId, ...wire.headers } };
  }

  async function fetch(input: Request | URL | string, init?: object): Promise<Response> {
    const request = new Request(input, init as RequestInit);
    const { signal } = request;
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    const answer = await Promise.race([handle(request), aborted]);
    return toResponse(answer, pending.wait, signal);
  }

  function clientOptions(address?: string) {
    const baseUrl = address ?? IN_PROCESS_ADDRESS;
    const given: MockClientOptions = {
      gateways: { staging: { baseUrl, apiKey }, production: { baseUrl: `${baseUrl}/production`, apiKey } },
      validation,
      location: { required: rules.locationRequired, fixed: MOCK_LOCATION },
      // The key is not secret: it is printed in this file.
      allowApiKeyInBrowser: true,
    };
    return address === undefined ? { ...given, fetch } : given;
  }

  async function waitFor(query: JournalQuery, options: WaitOptions = {}): Promise<JournalEntry> {
    readMockOptions('requests', query);
    readMockOptions('waitFor', options);
    const { timeoutMs = 5_000, signal } = options;
    const already = journal.entries(query)[0];
    if (already) return already;
    let stop = () => {};
    const next = () =>
      new Promise<JournalEntry>((resolve) => {
        stop = subscribe((entry) => matches(entry, query) && resolve(entry));
      });
    const ended = await withTimeout(next, { clock, milliseconds: timeoutMs, signal });
    stop();
    if (ended.ended === 'done') return ended.value;
    const why = ended.ended === 'timeout' ? `within ${timeoutMs} ms` : 'before the wait was cancelled';
    const came = journal
      .entries()
      .slice(-5)
      .map(
        ({ operation, reference, status }) =>
          `${operation ?? 'unknown path'} ${reference ?? ''} ${status ?? 'no answer'}`,
      );
    throw new Error(`No request matched ${JSON.stringify(query)} ${why}. The latest: ${came.join('; ') || 'none'}.`);
  }

  function subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  function replaceLedgers(next: typeof ledgers): void {
    ledgers = next;
    era = crypto.randomUUID();
  }

  return {
    fetch,
    handle,
    faults,
    duplicateStatus: rules.duplicateStatus,
    waitFor,
    subscribe,
    get era() {
      return era;
    },
    clientOptions: clientOptions as MockGateway<Mode>['clientOptions'],
    requests(query) {
      readMockOptions('requests', query);
      return journal.entries(query);
    },
    reports(environment = 'staging', query = {}) {
      readMockOptions('environment', { environment });
      readMockOptions('reports', query);
      const { operation, reference } = query;
      return [...ledgers[environment].values()].filter(
        (report) =>
          (operation === undefined || report.operation === operation) &&
          (reference === undefined || report.reference === reference),
      );
    },
    seed(reports) {
      for (const report of reports) readMockOptions('seed', report);
      const of = (environment: Environment) =>
        reports.filter((report) => (report.environment ?? 'staging') === environment);
      replaceLedgers({
        staging: toLedger(of('staging'), 'staging', ledgers.staging),
        production: toLedger(of('production'), 'production', ledgers.production),
      });
    },
    snapshot: () => toState(ledgers),
    restore(state) {
      replaceLedgers(fromState(state));
    },
    release: pending.release,
    reset() {
      resets += 1;
      replaceLedgers(emptyLedgers());
      journal.clear();
      faults.reset();
      limiter = rateLimit && createRateLimiter(rateLimit);
      pending.release();
    },
  };
}

/** The waits inside the gateway. `release` ends all of them at once. Without a time, a wait ends only then. */
function createPending(clock: Clock) {
  const waiting = new Set<() => void>();
  return {
    wait: (milliseconds?: number) =>
      new Promise<void>((resolve) => {
        let timer: unknown;
        const end = () => {
          waiting.delete(end);
          if (timer !== undefined) clock.clearTimeout(timer);
          resolve();
        };
        waiting.add(end);
        if (milliseconds !== undefined) timer = clock.setTimeout(end, milliseconds);
      }),
    release() {
      for (const end of [...waiting]) end();
    },
  };
}

/** A token bucket of `requests` tokens that fills evenly. */
function createRateLimiter({ requests, perMs = 1_000 }: RateLimitOptions) {
  let tokens = requests;
  let filled: number | undefined;
  return (now: number): number | undefined => {
    tokens = Math.min(requests, tokens + (Math.max(0, now - (filled ?? now)) * requests) / perMs);
    filled = now;
    if (tokens < 1) return Math.max(1, Math.ceil(((1 - tokens) * perMs) / requests / 1_000));
    tokens -= 1;
    return undefined;
  };
}
