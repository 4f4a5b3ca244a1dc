import { ENVIRONMENTS } from '../errors/errors.js';
import { isRecord } from '../platform/as-record.js';
import { MOCK_NAME } from '../protocol/mock-mode.js';
import { operationNames, operations } from '../protocol/operations.js';
import { type MockAnswer, refuse } from './answers.js';
import { FAULT_KINDS, type FaultRule } from './faults.js';
import type { MockGateway } from './interface.js';
import type { JournalQuery } from './journal.js';
import { maskBody, maskNin } from './mask.js';

/** A query or command is invalid. The message says what is accepted. */
export class BadInput extends TypeError {}

/** How to read a parameter: a value from a URL (always text) or from JSON. Undefined if it is invalid. */
interface Reader<T> {
  readonly expected: string;
  read(given: unknown): T | undefined;
}

const text: Reader<string> = { expected: 'a text', read: (given) => (typeof given === 'string' ? given : undefined) };

const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
]);
const flag: Reader<boolean> = { expected: 'true or false', read: (given) => FLAGS.get(given) };

const whole = (most: number): Reader<number> => ({
  expected: `a whole number from 0 to ${most}`,
  read: (given) =>
    /^(?:number|string)$/.test(typeof given) && /^\d{1,9}$/.test(String(given)) && Number(given) <= most
      ? Number(given)
      : undefined,
});

const oneOf = <const T extends string>(values: readonly T[]): Reader<T> => ({
  expected: `one of ${values.join(', ')}`,
  read: (given) => values.find((value) => value === given),
});

const LONGEST_TIMEOUT_MS = 60_000;

const READERS = {
  environment: oneOf(ENVIRONMENTS),
  operation: oneOf(operationNames),
  reference: text,
  status: whole(599),
  applied: flag,
  fault: oneOf(FAULT_KINDS),
  method: text,
  path: text,
  key: oneOf(['valid', 'invalid', 'missing']),
  limit: whole(1_000_000),
  reveal: flag,
  id: whole(999_999_999),
  timeoutMs: whole(LONGEST_TIMEOUT_MS),
} as const satisfies Record<string, Reader<unknown>>;

type Name = keyof typeof READERS;
type GivenQuery<N extends Name> = { [K in N]?: (typeof READERS)[K] extends Reader<infer T> ? T : never };

/** The names by which requests can be searched: those of a `JournalQuery`. */
const JOURNAL_NAMES = [
  'environment',
  'operation',
  'reference',
  'status',
  'applied',
  'fault',
  'method',
  'path',
  'key',
] as const satisfies readonly (keyof JournalQuery)[];

/** Reads the known parameters. Throws a `BadInput` that says what is wrong. */
function readQuery<N extends Name>(
  given: URLSearchParams | Record<string, unknown>,
  names: readonly N[],
): GivenQuery<N> {
  const asked: Record<string, unknown> = {};
  for (const [name, value] of given instanceof URLSearchParams ? given : Object.entries(given)) {
    const known = names.find((one) => one === name);
    if (known === undefined)
      throw new BadInput(
        names.length > 0 ? `unknown field; known are ${names.join(', ')}` : 'no parameter is accepted here',
      );
    if (known in asked) throw new BadInput(`${known} is given twice`);
    const { read, expected } = READERS[known];
    const understood = read(value);
    if (understood === undefined) throw new BadInput(`${known} must be ${expected}`);
    asked[known] = understood;
  }
  return asked as GivenQuery<N>;
}

/** The parts that others add to the server's own routes. A route exists only if its part is given. */
export interface RouteOptions {
  /** The answer of `health`. */
  readonly version: string;
  /** The process that serves the gateway, for `health`. */
  readonly pid?: number | undefined;
  /** Makes the OpenAPI document. */
  readonly openapi?: (() => unknown) | undefined;
  /** Server-sent events of the requests that arrive. */
  readonly events?: ((request: Request) => Response) | undefined;
}

export interface AdminCall {
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The body. Throws if it is not JSON, or too large. */
  json(): Promise<unknown>;
}

type Route = (call: AdminCall) => MockAnswer | Response | Promise<MockAnswer | Response>;

/** Routes by path below `/__admin/`, then by method. */
export type AdminRoutes = ReadonlyMap<string, Readonly<Partial<Record<string, Route>>>>;

const DONE: MockAnswer = { status: 204 };
const ok = (body: unknown): MockAnswer => ({ status: 200, body });

export function adminRoutes(gateway: MockGateway, { version, pid, openapi, events }: RouteOptions): AdminRoutes {
  const routes: Record<string, Partial<Record<string, Route>>> = {
    health: { GET: () => ok({ status: 'ok', name: MOCK_NAME, version, pid }) },
    reports: {
      GET({ query }) {
        const { environment, reveal, ...which } = readQuery(query, ['environment', 'operation', 'reference', 'reveal']);
        const reports = ENVIRONMENTS.filter((one) => environment === undefined || environment === one).flatMap((one) =>
          gateway.reports(one, which).map(({ operation, reference, body }) => {
            const report = { environment: one, operation, reference };
            return reveal ? { ...report, body } : maskNin({ ...report, body: maskBody(operations[operation], body) });
          }),
        );
        return ok({ reports });
      },
    },
    requests: {
      GET({ query }) {
        const { limit, ...which } = readQuery(query, [...JOURNAL_NAMES, 'limit']);
        const requests = gateway.requests(which);
        return ok(
          maskNin({ requests: limit === undefined ? requests : requests.slice(Math.max(0, requests.length - limit)) }),
        );
      },
    },
    'requests/count': { GET: ({ query }) => ok({ count: gateway.requests(readQuery(query, JOURNAL_NAMES)).length }) },
    'requests/wait': {
      async POST({ json, request }) {
        const { timeoutMs, ...which } = readQuery(await readObject(json), [...JOURNAL_NAMES, 'timeoutMs']);
        try {
          return ok(maskNin({ request: await gateway.waitFor(which, { timeoutMs, signal: request.signal }) }));
        } catch (error) {
          return refuse(408, (error as Error).message);
        }
      },
    },
    faults: {
      GET: () => ok({ faults: gateway.faults.list() }),
      POST: async ({ json }) => ({ status: 201, body: { id: gateway.faults.add((await json()) as FaultRule) } }),
      DELETE({ query }) {
        const { id } = readQuery(query, ['id']);
        if (id !== undefined && !gateway.faults.list().some((fault) => fault.id === id))
          return refuse(404, 'There is no such fault');
        gateway.faults.clear(id);
        return DONE;
      },
    },
    state: {
      GET: () => ok(gateway.snapshot()),
      async PUT({ json }) {
        gateway.restore(await json());
        return DONE;
      },
    },
    reset: {
      POST() {
        gateway.reset();
        return DONE;
      },
    },
    ...(openapi && { 'openapi.json': { GET: () => ok(openapi()) } }),
    ...(events && { events: { GET: ({ request }: AdminCall) => events(request) } }),
  };
  return new Map(Object.entries(routes));
}

async function readObject(json: AdminCall['json']): Promise<Record<string, unknown>> {
  const body = await json();
  if (!isRecord(body)) throw new BadInput('The body is not a JSON object');
  return body;
}
