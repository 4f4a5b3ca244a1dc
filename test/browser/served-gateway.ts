import { createMockGateway } from '../../src/entries/mock.js';
import { type MockServer, serve } from '../../src/entries/mock-node.js';

export interface ServedGateway extends MockServer {
  /** Every request that arrived, preflights included. */
  readonly requests: Request[];
  /** The bodies of the reports that staging holds. */
  recorded(): unknown[];
  /** From now on each report comes over a connection of its own. */
  endConnectionsAfterPreflight(): void;
}

/** The mock gateway on an origin of its own: a page reaches it only as CORS allows. */
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
      return method === 'OPTIONS' && !keepConnections ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer;
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
