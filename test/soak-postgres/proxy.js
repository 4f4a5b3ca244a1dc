// A network between the workers and the database that can be cut.
import { connect, createServer } from 'node:net';

/** @param {number} port Of the database. */
export async function startProxy(port) {
  let isCut = false;
  /**
   * Connections of workers, with their counterpart.
   * @type {Map<import('node:net').Socket, import('node:net').Socket>}
   */
  const pairs = new Map();
  const server = createServer((inside) => {
    inside.on('error', () => inside.destroy());
    // No side answers, and no side closes.
    if (isCut) return void inside.resume();
    const outside = connect(port, '127.0.0.1');
    pairs.set(inside, outside);
    outside.on('error', () => inside.destroy());
    inside.on('close', () => {
      pairs.delete(inside);
      outside.destroy();
    });
    inside.pipe(outside).pipe(inside);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    /**
     * Drops all data, like a firewall that forgets its connections: the workers are not informed, and the database only
     * afterwards.
     */
    cut() {
      isCut = true;
      const lost = [...pairs];
      pairs.clear();
      for (const [inside, outside] of lost) {
        inside.unpipe(outside).resume();
        outside.unpipe(inside).resume();
      }
      return () => {
        isCut = false;
        for (const [, outside] of lost) outside.destroy();
      };
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
