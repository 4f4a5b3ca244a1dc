import { createMockGateway } from '../../src/mock/index.js';
import { type MockServer, serve } from '../../src/node/index.js';

export interface ServedGateway extends MockServer {
  /** Every request that arrived, preflights included. */
  readonly requests: Request[];
}

/** The mock gateway on an origin of its own: a page reaches it only as CORS allows. */
export async function serveGateway(): Promise<ServedGateway> {
  const gateway = createMockGateway();
  const requests: Request[] = [];
  const server = await serve({
    ...gateway,
    answer(request) {
      requests.push(request as Request);
      return gateway.answer(request);
    },
  });
  return { ...server, gateway, requests };
}
