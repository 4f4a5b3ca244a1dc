import { ENVIRONMENTS } from '../../core/errors/errors.js';
import { isRecord } from '../../core/platform/as-record.js';
import { version } from '../../core/platform/version.js';
import { MOCK_NAME } from '../../core/protocol/mock-mode.js';
import { operations } from '../../core/protocol/operations.js';
import { printableKey } from '../../core/schema/issue.js';
import { type MockAnswer, refuse } from './answers.js';
import type { FaultRule } from './faults.js';
import type { MockGateway } from './interface.js';
import { maskBody, maskNin } from './mask.js';
import { readMockOptions } from './options.js';

const NUMBERS = ['status', 'limit', 'id', 'timeoutMs'];
const FLAGS = ['applied', 'reveal'];

function parameterOf(name: string, given: string): unknown {
  if (NUMBERS.includes(name) && /^\d{1,9}$/.test(given)) return Number(given);
  return FLAGS.includes(name) && /^(?:true|false)$/.test(given) ? given === 'true' : given;
}

/** The parameters of an address, which are all text, as the values that options have. */
function valuesOf(query: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, given] of query) {
    if (Object.hasOwn(values, name)) throw new TypeError(`${printableKey(name)} is given twice`);
    values[name] = parameterOf(name, given);
  }
  return values;
}

/** The parts of the routes that only their server knows. */
export interface RouteOptions {
  readonly pid: number;
  readonly openapi: () => unknown;
}

interface AdminCall {
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The body. Throws if it is not JSON, or too large. */
  json(): Promise<unknown>;
}

type AdminRoute = (call: AdminCall) => MockAnswer | Promise<MockAnswer>;

type AdminRoutes = ReadonlyMap<string, Readonly<Partial<Record<string, AdminRoute>>>>;

const DONE: MockAnswer = { status: 204 };
const ok = (body: unknown): MockAnswer => ({ status: 200, body });

export function adminRoutes(gateway: MockGateway, { pid, openapi }: RouteOptions): AdminRoutes {
  const routes: Record<string, Partial<Record<string, AdminRoute>>> = {
    health: { GET: () => ok({ status: 'ok', name: MOCK_NAME, version, pid }) },
    reports: {
      GET({ query }) {
        const { environment, reveal, ...which } = readMockOptions('GET reports', valuesOf(query));
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
        const { limit: most, ...which } = valuesOf(query);
        const requests = gateway.requests(which);
        const { limit = requests.length } = readMockOptions('GET requests', { limit: most });
        return ok(maskNin({ requests: requests.slice(Math.max(0, requests.length - limit)) }));
      },
    },
    'requests/count': { GET: ({ query }) => ok({ count: gateway.requests(valuesOf(query)).length }) },
    'requests/wait': {
      async POST({ json, request }) {
        const { timeoutMs: longest, ...which } = await readObject(json);
        const { timeoutMs } = readMockOptions('POST requests/wait', { timeoutMs: longest });
        gateway.requests(which);
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
        const { id } = readMockOptions('DELETE faults', valuesOf(query));
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
    'openapi.json': { GET: () => ok(openapi()) },
    // For the inspector: the requests since those that it has read.
    news: {
      GET({ query }) {
        const known = readMockOptions('GET news', valuesOf(query));
        const { era } = gateway;
        const after = known.era === era ? (known.id ?? 0) : 0;
        return ok(maskNin({ era, requests: gateway.requests().filter(({ id }) => id > after) }));
      },
    },
  };
  return new Map(Object.entries(routes));
}

async function readObject(json: AdminCall['json']): Promise<Record<string, unknown>> {
  const body = await json();
  if (!isRecord(body)) throw new TypeError('The body is not a JSON object');
  return body;
}
