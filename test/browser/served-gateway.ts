import { createMockGateway } from '../../src/entries/mock.js';
import { type MockServer, serve } from '../../src/entries/node.js';

export interface ServedGateway extends MockServer {
  /** Every request that arrived, including preflights. */
  readonly requests: Request[];
  /** The bodies of the reports that staging has recorded. */
  recorded(): unknown[];
  /** From now on each report uses its own connection. */
  endConnectionsAfterPreflight(): void;
}

/** The mock gateway on a separate origin: a page reaches it only as CORS allows. */
export async function serveGateway(): Promise<ServedGateway> {
  const gateway = createMockGateway();
  const requests: Request[] = [];
  let keepConnections = true;
  const server = await serve({
    ...gateway,
    async handle(request) {
      const { method } = request as Request;
      requests.push(request as Request);
      const answer = await gateway.handle(request);
      return method === 'OPTIONS' && !keepConnections
        ? { ...answer, headers: { ...answer.headers, connection: 'close' } }
        : answer;
    },
  });
  return {
    ...server,
    gateway,
    requests,
    recorded: () => gateway.reports().map(({ body }) => body),
    endConnectionsAfterPreflight: () => {
      keepConnections = false;
    },
  };
}
