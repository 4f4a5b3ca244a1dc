import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server on a free port of this machine. `close` ends its connections, too. */
export async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      (server as { closeAllConnections?: () => void }).closeAllConnections?.();
      await closed;
    },
  };
}

/** The port of a server that ends with its test. */
export async function listening(server: Server): Promise<number> {
  const { port, close } = await listen(server);
  onTestFinished(() => void close());
  return port;
}
