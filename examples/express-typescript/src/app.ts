import express, { type ErrorRequestHandler, type Express } from 'express';
import { clientIpFrom, isReportingError, playerMessage } from 'location-sdk';
import type { Outbox } from 'location-sdk/outbox';
import type { Pool } from 'pg';
import { placeBet, settleBet } from './bets.js';

const WRONG_ENTRY = playerMessage('entries').text;

/**
 * An invalid request is 400, a player without a location 409, and any other error is the server's: 503. The page shows
 * `message`.
 */
const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  const message = playerMessage(isReportingError(error) ? error : 'in-doubt').text;
  if (isReportingError(error) && error.code === 'validation')
    return void response.status(400).json({ error: error.code, message, issues: error.issues });
  if (isReportingError(error) && error.code === 'location')
    return void response.status(409).json({ error: error.code, message });
  // Express's own, such as a body that is not JSON: its message may repeat a player's data.
  if (error?.status >= 400 && error.status < 500)
    return void response.status(error.status).json({ error: 'bad-request', message: WRONG_ENTRY });
  console.error(error instanceof Error ? error.message : 'a request failed');
  response.status(503).json({ error: 'unavailable', message });
};

export function createApp(pool: Pool, outbox: Outbox): Express {
  const app = express();
  app.use(express.json());

  app.post('/bets', async (request, response) => {
    const { key, stake } = request.body ?? {};
    if (typeof key !== 'string' || !(stake > 0))
      return void response.status(400).json({ error: 'validation', message: WRONG_ENTRY });
    // Name the proxies before this process, whose headers are trusted.
    const clientIP = clientIpFrom(request, { trustedProxies: [] });
    response.json(await placeBet(pool, outbox, request.body, clientIP));
  });

  app.post('/bets/:id/settlement', async (request, response) => {
    const isSettled = await settleBet(pool, outbox, request.params.id, request.body?.payout);
    response.status(isSettled ? 200 : 404).json({ settled: isSettled });
  });

  app.get('/health', async (_request, response) => {
    const { states, paused, oldestOpenAt } = await outbox.stats();
    response.json({
      status: 'ok',
      waiting: states.waiting,
      quarantined: states.quarantined,
      oldestOpenAt,
      paused: paused.map(({ reason }) => reason),
    });
  });

  return app.use(answerError);
}
