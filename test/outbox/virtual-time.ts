import type { ClientOptions } from '../../src/core/client/options.js';
import { moduleTransport } from '../../src/core/delivery/ky-transport.js';
import type { Transport } from '../../src/core/delivery/transport.js';
import { FakeClock, holdClocks } from '../support/fake-clock.js';

/** Requests over real sockets in virtual time, which stands still while a request is under way. */
export function virtualTime(transport: Transport = moduleTransport(undefined, false)) {
  const clock = new FakeClock();
  const client: Pick<ClientOptions, 'clock' | 'transport'> = {
    clock,
    transport: { send: (request, limit) => transport.send(request, limit).finally(holdClocks()) },
  };
  return {
    clock,
    client,
    seconds: (count: number) =>
      clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, count * 1_000))),
  };
}
