import type { Environment } from '../errors/errors.js';
import { systemClock } from '../platform/time.js';
import { MOCK_API_KEY } from '../protocol/mock-mode.js';
import type { ValidationMode } from '../schema/model.js';
import { type MockAnswer, refuse } from './answers.js';
import { apply, type Body, type Rules } from './apply.js';
import { clientOptionsFor } from './client-options.js';
import { createFaults, type SetFault } from './faults.js';
import type { MockGateway, WaitOptions } from './interface.js';
import { createJournal, type JournalEntry, type JournalQuery, matches } from './journal.js';
import { reportsOf } from './ledger.js';
import { maskAnswer, maskBody } from './mask-body.js';
import { misbehave, unseenAnswer } from './misbehave.js';
import { checkMockOptions, type MockGatewayOptions } from './options.js';
import { createPending } from './pending.js';
import { createRateLimiter } from './rate-limit.js';
import { LONGEST_BODY, parseObject, readText, saysJson } from './read-body.js';
import { PATHS, type Route, route } from './routing.js';
import { emptyLedgers, fromState, toLedger, toState } from './state.js';
import { toResponse, type WireAnswer } from './wire.js';

/** An address that is only a name. No server listens there: the client's `fetch` is the gateway. */
const IN_PROCESS_ADDRESS = 'http://mock-gateway.localhost';

/** A page on another origin may call the gateway, and read these headers. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after, x-request-id' };
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept, x-api-key',
  'access-control-max-age': '600',
};

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
export function createMockGateway<Mode extends ValidationMode = 'strict'>(options: MockGatewayOptions<Mode> = {}): MockGateway<Mode> {
  checkMockOptions('createMockGateway', options);
  const { apiKey = MOCK_API_KEY, validation = 'strict', seed = 1, journalSize = 1_000, clock = systemClock, rateLimit } = options;
  const rules: Rules = {
    validation,
    locationRequired: options.location?.required ?? true,
    requireInitiated: options.requireInitiated ?? true,
    duplicateStatus: options.duplicateStatus ?? 409,
    identities: new Map(Object.entries(options.identities ?? {})),
  };
  const journal = createJournal(journalSize);
  const pending = createPending(clock);
  const faults = createFaults(seed);
  const listeners = new Set<(entry: JournalEntry) => void>();
  const onReplace = new Set<() => void>();
  let ledgers = emptyLedgers();
  let resets = 0;
  let limiter = rateLimit && createRateLimiter(rateLimit);

  interface Handled {
    answer: MockAnswer;
    applied?: boolean;
    body?: Body | undefined;
    reference?: string | undefined;
    fault?: SetFault | undefined;
  }

  function applyReport({ environment, row }: Route, body: Body): { answer: MockAnswer; applied: boolean } {
    const { ledger, answer, applied } = apply(ledgers[environment], environment, row, body, rules);
    ledgers = { ...ledgers, [environment]: ledger };
    return { answer, applied };
  }

  /** In the order of the checks: path, method, key, rate, fault, body, fields, ledger. */
  async function respond(request: Request, found: Route | undefined, key: JournalEntry['key']): Promise<Handled> {
    if (!found) return { answer: refuse(404, `There is no such path; known are ${PATHS.join(', ')}`) };
    if (request.method !== 'POST') return { answer: refuse(405, 'Use POST', { allow: 'POST' }) };
    if (key !== 'valid') return { answer: refuse(401, `API key is ${key}`) };
    const retryAfter = limiter?.(clock.now());
    if (retryAfter !== undefined) return { answer: refuse(429, 'Too many requests', { 'retry-after': String(retryAfter) }) };

    const { row } = found;
    const text = await readText(request);
    const body = text === undefined ? undefined : parseObject(text);
    const named = row.reference && body?.[row.reference];
    const reference = typeof named === 'string' ? named : undefined;
    const before = faults.strike('before', row.name, reference);
    const seen = { body, reference };
    if (before && before.kind !== 'duplicate-delivery' && before.kind !== 'latency') return { ...seen, answer: unseenAnswer(before), fault: before };
    if (before?.kind === 'latency') {
      const began = resets;
      await pending.wait(faults.delayOf(before));
      if (resets !== began) return { ...seen, answer: refuse(503, 'The mock gateway was reset meanwhile'), fault: before };
    }
    if (text === undefined) return { ...seen, answer: refuse(413, `The body is larger than ${LONGEST_BODY} bytes`), fault: before };
    if (!saysJson(request)) return { ...seen, answer: refuse(400, 'The content-type must be application/json'), fault: before };
    if (!body) return { ...seen, answer: refuse(400, 'The body is not a JSON object'), fault: before };

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
    const found = route(pathname);
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
    tell(noted);
    if (delay === 'forever') await pending.hang();
    else if (delay > 0) await pending.wait(delay);
    return { ...wire, headers: { ...CORS, 'x-request-id': noted.requestId, ...wire.headers } };
  }

  function tell(entry: JournalEntry): void {
    for (const listener of [...listeners]) callGuarded(() => listener(entry));
  }

  async function fetch(input: Request | URL | string, init?: object): Promise<Response> {
    const request = new Request(input, init as RequestInit);
    const { signal } = request;
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
    const answer = await Promise.race([handle(request), aborted]);
    return toResponse(answer, async (milliseconds) => void (await pending.wait(milliseconds)), signal);
  }

  function clientOptions(address?: string) {
    const given = clientOptionsFor(address ?? IN_PROCESS_ADDRESS, apiKey, validation, rules.locationRequired);
    return address === undefined ? { ...given, fetch } : given;
  }

  async function waitFor(query: JournalQuery, options: WaitOptions = {}): Promise<JournalEntry> {
    checkMockOptions('requests', query);
    checkMockOptions('waitFor', options);
    const { timeoutMs = 5_000, signal } = options;
    const already = journal.entries(query)[0];
    if (already) return already;
    return new Promise((resolve, reject) => {
      const stop = subscribe((entry) => {
        if (!matches(entry, query)) return;
        end();
        resolve(entry);
      });
      const fail = (why: string) => {
        end();
        const came = journal
          .entries()
          .slice(-5)
          .map(({ operation, reference, status }) => `${operation ?? 'unknown path'} ${reference ?? ''} ${status ?? 'no answer'}`);
        reject(new Error(`No request matched ${JSON.stringify(query)} ${why}. The latest: ${came.join('; ') || 'none'}.`));
      };
      const abort = () => fail('before the wait was cancelled');
      const timer = clock.setTimeout(() => fail(`within ${timeoutMs} ms`), timeoutMs);
      const end = () => {
        stop();
        clock.clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }

  function subscribe(listener: (entry: JournalEntry) => void, replaced?: () => void): () => void {
    listeners.add(listener);
    if (replaced) onReplace.add(replaced);
    return () => {
      listeners.delete(listener);
      if (replaced) onReplace.delete(replaced);
    };
  }

  function tellReplaced(): void {
    for (const replaced of [...onReplace]) callGuarded(replaced);
  }

  return {
    fetch,
    handle,
    faults,
    duplicateStatus: rules.duplicateStatus,
    waitFor,
    subscribe,
    clientOptions: clientOptions as MockGateway<Mode>['clientOptions'],
    requests(query) {
      checkMockOptions('requests', query);
      return journal.entries(query);
    },
    reports(environment = 'staging', query = {}) {
      checkMockOptions('environment', { environment });
      checkMockOptions('reports', query);
      const { operation, reference } = query;
      return reportsOf(ledgers[environment]).filter(
        (report) => (operation === undefined || report.operation === operation) && (reference === undefined || report.reference === reference),
      );
    },
    seed(reports) {
      for (const report of reports) checkMockOptions('seed', report);
      const of = (environment: Environment) => reports.filter((report) => (report.environment ?? 'staging') === environment);
      ledgers = {
        staging: toLedger(of('staging'), 'staging', ledgers.staging),
        production: toLedger(of('production'), 'production', ledgers.production),
      };
      tellReplaced();
    },
    snapshot: () => toState(ledgers),
    restore(state) {
      ledgers = fromState(state);
      tellReplaced();
    },
    release: pending.release,
    reset() {
      resets += 1;
      ledgers = emptyLedgers();
      journal.clear();
      faults.reset();
      limiter = rateLimit && createRateLimiter(rateLimit);
      pending.release();
      tellReplaced();
    },
  };
}

/** An error of a listener is uncaught, as with events. The gateway continues. */
function callGuarded(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
