import type { Environment } from '../errors/errors.js';
import { MOCK_NAME } from '../protocol/mock-mode.js';
import { operations } from '../protocol/operations.js';
import { BadInput, JOURNAL_NAMES, readQuery } from './admin-query.js';
import { type MockAnswer, refuse } from './answers.js';
import type { FaultRule } from './faults.js';
import type { MockGateway } from './interface.js';
import { maskBody } from './mask-body.js';
import { maskNin } from './mask-nin.js';

/** The parts that others add to the server's own routes. A route exists only if its part is given. */
export interface AdminParts {
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

const ENVIRONMENTS: readonly Environment[] = ['staging', 'production'];
const DONE: MockAnswer = { status: 204 };
const ok = (body: unknown): MockAnswer => ({ status: 200, body });

export function adminRoutes(gateway: MockGateway, { version, pid, openapi, events }: AdminParts): AdminRoutes {
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
        return ok(maskNin({ requests: limit === undefined ? requests : requests.slice(Math.max(0, requests.length - limit)) }));
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
        if (id !== undefined && !gateway.faults.list().some((fault) => fault.id === id)) return refuse(404, 'There is no such fault');
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
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new BadInput('The body is not a JSON object');
  return body as Record<string, unknown>;
}
