import { expect, it } from 'vitest';
import { betEvent, LOCATION } from '../support/factories.js';
import { outboxWorld } from './world.js';

/** The lines of an outbox without a listener, at `warn` and `error`, after the gateway has answered a bet. */
async function linesAfter(status: number) {
  const lines: string[] = [];
  const line = (level: string) => (text: string) => void lines.push(`${level} ${text}`);
  const { outbox, run } = outboxWorld({
    client: {
      fetch: async () => Response.json({ message: 'Invalid user', statusCode: status }, { status }),
      logger: { warn: line('warn'), error: line('error') },
    },
  });
  await outbox.reportBetEvent(betEvent({ bet_id: 'B-1' }), { location: LOCATION });
  await run(outbox.drain({ timeoutMs: 1_000 }));
  return lines;
}

it('logs a report that needs a person, with its id and the problem', async () => {
  expect(await linesAfter(422)).toEqual([
    'error default:staging:reportBetEvent:B-1 needs a person. reportBetEvent B-1 (staging): HTTP 422: the gateway cannot accept the data. The gateway said: "Invalid user".',
  ]);
});

it('logs that it sends nothing for now, and why', async () => {
  expect(await linesAfter(503)).toEqual([
    expect.stringMatching(/^warn The outbox sends nothing to staging for now \(unavailable\); .* HTTP 503/),
  ]);
});
