import { MOCK_LOCATION } from '../../core/protocol/mock-mode.js';
import type { ValidationMode } from '../../core/schema/model.js';
import { misbehave } from './answers.js';
import { apply, type Rules } from './apply.js';
import { createFaults } from './faults.js';
import type { MockClientOptions, MockGateway } from './interface.js';
import { createJournal, matches } from './journal.js';
import { maskAnswer, maskBody } from './mask.js';
import { type MockGatewayOptions, readMockOptions } from './options.js';
import { createPending } from './pending.js';
import { createResponder, endpoints, PRODUCTION } from './respond.js';
import { createState } from './state.js';
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
export function createMockGateway<Mode extends ValidationMode = 'strict'>(
  options: MockGatewayOptions<Mode> = {},
): MockGateway<Mode> {
  const settings = readMockOptions('createMockGateway', options);
  const { apiKey, validation, clock } = settings;
  const rules: Rules = {
    validation,
    locationRequired: settings.location.required,
    requireInitiated: settings.requireInitiated,
    duplicateStatus: settings.duplicateStatus,
    identities: new Map(Object.entries(settings.identities)),
  };
  const journal = createJournal(settings.journalSize, clock);
  const pending = createPending(clock);
  const faults = createFaults(settings.seed);
  const state = createState();
  const responder = createResponder({
    clock,
    rateLimit: settings.rateLimit,
    faults,
    pending,
    apply: ({ environment, row }, body) => apply(state.ledger(environment), environment, row, body, rules),
  });

  async function handle(request: Request): Promise<WireAnswer> {
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method')) {
      return { status: 204, headers: PREFLIGHT, body: '', transport: { kind: 'whole' } };
    }
    const { pathname } = new URL(request.url);
    const endpoint = endpoints.get(pathname);
    const given = request.headers.get('x-api-key');
    const key = !given ? 'missing' : given === apiKey ? 'valid' : 'invalid';
    const { answer, fault, body, reference, applied = false } = await responder.respond(request, endpoint, key);
    const { wire, delay, sent } = misbehave(answer, fault, faults.delayOf);
    const noted = journal.add({
      at: clock.now(),
      method: request.method,
      path: pathname,
      environment: endpoint?.environment,
      operation: endpoint?.row.name,
      reference,
      key,
      body: endpoint && body && maskBody(endpoint.row, body),
      status: wire.transport.kind === 'connection-reset' ? undefined : wire.status,
      answer: maskAnswer(sent),
      applied,
      fault: fault?.kind,
    });
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
      gateways: { staging: { baseUrl, apiKey }, production: { baseUrl: baseUrl + PRODUCTION, apiKey } },
      validation,
      location: { required: rules.locationRequired, fixed: MOCK_LOCATION },
      // The key of a mock is not secret.
      allowApiKeyInBrowser: true,
    };
    return address === undefined ? { ...given, fetch } : given;
  }

  return {
    fetch,
    handle,
    faults,
    duplicateStatus: rules.duplicateStatus,
    async waitFor(query, options = {}) {
      readMockOptions('requests', query);
      readMockOptions('waitFor', options);
      return journal.waitFor(query, options);
    },
    subscribe: journal.subscribe,
    get era() {
      return state.era();
    },
    clientOptions: clientOptions as MockGateway<Mode>['clientOptions'],
    requests(query) {
      readMockOptions('requests', query);
      return journal.entries(query);
    },
    reports(environment = 'staging', query = {}) {
      readMockOptions('environment', { environment });
      readMockOptions('reports', query);
      return [...state.ledger(environment).values()].filter((report) => matches(report, query));
    },
    seed(reports) {
      for (const report of reports) readMockOptions('seed', report);
      state.add(reports);
    },
    snapshot: state.snapshot,
    restore: state.restore,
    release: pending.release,
    reset() {
      state.clear();
      journal.clear();
      faults.reset();
      responder.reset();
      pending.release();
    },
  };
}
