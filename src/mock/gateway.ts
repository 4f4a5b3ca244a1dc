import type { Environment } from '../errors.js';
import { MOCK_API_KEY, MOCK_LOCATION } from '../mock-defaults.js';
import { GATEWAY_PATH, type Operation, type OperationName, operationNames, operations } from '../operations.js';
import { copyJson } from '../schema/copy-json.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { type LocationInput, location } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';
import { validate } from '../schema/validate.js';
import type { WebRequest, WebResponse, WebUrl } from '../web-types.js';
import { type Answer, refuse } from './answers.js';
import { createFaults, type Faults } from './faults.js';
import { type Identity, madeUpIdentity } from './identities.js';
import { emptyLedger, type Ledger, type RecordedReport, record, reportsOf } from './ledger.js';

/** What `createMockGateway` takes; all of it is optional. */
export interface MockGatewayOptions {
  /** The key that it accepts. Default: `'mock-api-key'`. */
  apiKey?: string | undefined;
  /** As the client's option. Default: `'strict'`. */
  validation?: ValidationMode | undefined;
  /** As the client's option. Default: `{ required: true }`. */
  location?: { required?: boolean | undefined } | undefined;
  /** Whether a settled report needs its initiated one (specification, section 1). Default: true. */
  requireInitiated?: boolean | undefined;
  /** The status of a repeated report; the specification gives none. Default: 409. */
  duplicateStatus?: number | undefined;
  /** Who is verified in production, by NIN. In staging, numbers that start with 99 are (specification, section 4.3). Default: nobody. */
  identities?: Readonly<Record<string, Identity>> | undefined;
}

/** The options for a client that reports to a mock gateway. */
export interface MockClientOptions {
  gateways: { staging: { baseUrl: string; apiKey: string }; production: { baseUrl: string; apiKey: string } };
  validation: ValidationMode;
  location: { required: boolean; fixed: LocationInput };
  allowApiKeyInBrowser: true;
}

/** A stand-in for the gateway, in memory, that behaves like the real one. */
export interface MockGateway {
  /** The gateway as a `fetch` function: give it to a client as its `fetch`. */
  fetch(input: WebRequest | WebUrl | string, init?: object): Promise<WebResponse>;
  /** Options for a client in the same process: `createClient(gateway.clientOptions())`. */
  clientOptions(): MockClientOptions & { fetch: MockGateway['fetch'] };
  /** What is recorded, in the order of arrival. */
  reports(environment?: Environment): RecordedReport[];
  /** How it is to misbehave. */
  readonly faults: Faults;
  /** Forgets all reports and faults. */
  reset(): void;
  /** For servers: the answer to a request, or that the connection is to be broken. */
  answer(request: WebRequest): Promise<WebResponse | 'connection-reset'>;
}

/** An address that is only a name: nothing listens there, the client's `fetch` is the gateway. */
const IN_PROCESS_ADDRESS = 'http://mock-gateway.localhost';

const LONGEST_BODY = 1024 * 1024;

/** A page on another address may call it, and read `Retry-After`. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept, x-api-key',
  'access-control-max-age': '600',
};

const RECORDED: Readonly<Record<OperationName, string>> = {
  reportBetEvent: 'Bet event reported successfully',
  reportSettledBet: 'Settled bet reported successfully',
  reportWithdrawalEvent: 'Withdrawal event reported successfully',
  reportSettledWithdrawal: 'Withdrawal settled successfully',
  verifyNin: 'NIN verified successfully',
};

/**
 * Makes a mock gateway. Its state is in memory and it touches no network; it answers as `docs/assumptions.md`
 * says, staging at its address and production below `/production`, each with its own reports.
 *
 * @example
 * ```ts
 * const gateway = createMockGateway();
 * const client = createClient(gateway.clientOptions());
 * await client.reportBetEvent(bet);
 * expect(gateway.reports()).toHaveLength(1);
 * ```
 */
export function createMockGateway(options: MockGatewayOptions = {}): MockGateway {
  const apiKey = options.apiKey ?? MOCK_API_KEY;
  const mode = options.validation ?? 'strict';
  const locationRequired = options.location?.required ?? true;
  const requireInitiated = options.requireInitiated ?? true;
  const duplicateStatus = options.duplicateStatus ?? 409;
  const identities = new Map(Object.entries(options.identities ?? {}));
  const faults = createFaults();
  let ledgers: Record<Environment, Ledger> = { staging: emptyLedger(), production: emptyLedger() };

  /** The body's problems; those of a location stand at `location`. */
  function problemsOf(row: Operation, body: Record<string, unknown>): ValidationIssue[] {
    const { location: given, ...rest } = body;
    const { issues } = copyJson(body);
    if (row.location === 'none') return [...issues, ...validate(row.request, mode, body).issues];
    issues.push(...validate(row.request, mode, rest).issues);
    if (given !== undefined) issues.push(...validate(location, mode, given, ['location']).issues);
    else if (locationRequired) issues.push(issue(['location'], 'missing', 'is required'));
    return issues;
  }

  function verify(environment: Environment, nin: string): Answer {
    const identity = environment === 'staging' ? (nin.startsWith('99') ? madeUpIdentity(nin) : undefined) : identities.get(nin);
    const body = identity
      ? { success: true, status: 200, message: RECORDED.verifyNin, data: identity }
      : { success: false, status: 200, message: 'NIN could not be verified' };
    return { status: 200, body };
  }

  function apply(environment: Environment, row: Operation, body: Record<string, unknown>): Answer {
    const issues = problemsOf(row, body);
    if (issues.length > 0) {
      const message = issues.map(({ path, message: problem }) => `${path || 'body'}: ${problem}`).join('; ');
      return refuse(row.reference ? 422 : 400, message);
    }
    if (!row.reference) return verify(environment, String(body.nin));
    const reference = String(body[row.reference]);
    const [next, answer] = record(ledgers[environment], { operation: row.name, reference, body }, { requireInitiated });
    ledgers[environment] = next;
    switch (answer) {
      case 'recorded':
        return { status: 200, body: { message: RECORDED[row.name] } };
      case 'not-initiated':
        return refuse(404, `${row.reference} has no initiated report; report it before settling`);
      case 'same':
        return refuse(duplicateStatus, 'This data has already been reported');
      case 'conflict':
        return refuse(duplicateStatus, `This ${row.reference} has already been reported with different data`);
    }
  }

  /** In the order that the checks have: path, method, key, fault, body, fields, ledger. */
  async function respond(request: Request): Promise<Answer> {
    const found = route(new URL(request.url).pathname);
    if (!found) return refuse(404, 'There is no such path');
    const { environment, row } = found;
    if (request.method !== 'POST') return refuse(405, `Use POST`, { allow: 'POST' });

    const key = request.headers.get('x-api-key');
    if (!key) return refuse(401, 'API key is missing');
    if (key !== apiKey) return refuse(401, 'API key is invalid');

    const text = await readText(request);
    const body = text === undefined ? undefined : parseObject(text);
    const reference = row.reference && typeof body?.[row.reference] === 'string' ? String(body[row.reference]) : undefined;
    const before = faults.strike('before', row.name, reference);
    if (before) return misbehave(before);
    if (text === undefined) return refuse(413, `The body is larger than ${LONGEST_BODY} bytes`);
    if (!body) return refuse(400, 'The body is not a JSON object');

    const answer = apply(environment, row, body);
    const after = faults.strike('after', row.name, reference);
    return after ? misbehave(after) : answer;
  }

  async function answer(request: Request): Promise<Response | 'connection-reset'> {
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method')) {
      return new Response(null, { status: 204, headers: PREFLIGHT });
    }
    const given = await respond(request);
    if (given === 'connection-reset') return given;
    const headers = { 'content-type': 'application/json; charset=utf-8', ...CORS, ...given.headers };
    return new Response(given.body === undefined ? null : JSON.stringify(given.body), { status: given.status, headers });
  }

  async function fetch(input: Request | URL | string, init?: object): Promise<Response> {
    const request = new Request(input, init as RequestInit);
    request.signal.throwIfAborted();
    const given = await answer(request);
    request.signal.throwIfAborted();
    // As Node.js's own fetch shows it.
    if (given === 'connection-reset') throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
    return given;
  }

  return {
    fetch,
    answer,
    faults,
    reports: (environment = 'staging') => reportsOf(ledgers[environment]),
    reset() {
      ledgers = { staging: emptyLedger(), production: emptyLedger() };
      faults.clear();
    },
    clientOptions: () => ({ ...clientOptionsFor(IN_PROCESS_ADDRESS, { apiKey, validation: mode, locationRequired }), fetch }),
  };
}

/** The options for a client that reaches a mock gateway at an address. */
export function clientOptionsFor(
  address: string,
  { apiKey, validation, locationRequired }: { apiKey: string; validation: ValidationMode; locationRequired: boolean },
): MockClientOptions {
  return {
    gateways: { staging: { baseUrl: address, apiKey }, production: { baseUrl: `${address}/production`, apiKey } },
    validation,
    location: { required: locationRequired, fixed: MOCK_LOCATION },
    // The key is no secret: whoever reads this file knows it.
    allowApiKeyInBrowser: true,
  };
}

/** Which operation of which environment a path names. */
function route(path: string): { environment: Environment; row: Operation } | undefined {
  const production = `/production${GATEWAY_PATH}`;
  const environment = path.startsWith(production) ? 'production' : 'staging';
  const prefix = environment === 'production' ? production : GATEWAY_PATH;
  const name = path.startsWith(prefix) ? operationNames.find((known) => operations[known].path === path.slice(prefix.length)) : undefined;
  return name && { environment, row: operations[name] };
}

/** The body as text; undefined where it is too long, of which no more is read. */
async function readText(request: Request): Promise<string | undefined> {
  const reader = request.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > LONGEST_BODY) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function misbehave({
  kind,
  status = 503,
  headers,
}: {
  kind: 'connection-reset' | 'status';
  status?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}): Answer {
  return kind === 'connection-reset' ? kind : refuse(status, 'The mock gateway was told to answer so', headers);
}
