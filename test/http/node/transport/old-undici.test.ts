import { expect, it, vi } from 'vitest';

// The behaviour of undici before 7 with a current handler: its checks of the old methods throw.
vi.mock('undici', async (original) => {
  const undici = await original<typeof import('undici')>();
  class Agent extends undici.Agent {
    override dispatch(): boolean {
      throw Object.assign(new Error('invalid onError method'), { code: 'UND_ERR_INVALID_ARG' });
    }
  }
  return { ...undici, Agent };
});

it('an undici that is too old is refused before anything is sent, with the required version', async () => {
  const { nodeTransport } = await import('../../../../src/http/node/transport/node-transport.js');
  expect(() => nodeTransport()).toThrow(
    expect.objectContaining({ code: 'configuration', message: expect.stringContaining('npm install undici@7') }),
  );
});
