import type { ErrorOutcome } from '../errors/errors.js';
import { clientIpFrom } from '../location/server/client-ip-from.js';
import type { WebRequest, WebResponse } from '../platform/web-types.js';
import { operations } from '../protocol/operations.js';
import { copyJson } from '../schema/copy-json.js';
import { admit } from './admit.js';
import { broken, invalid, RefusedRequest, type RelayAnswer, refusals, refuse, tooMany, toResponse } from './answers.js';
import { eventKeyOf } from './event-key.js';
import { callHook, describeThrown, noteFault, settledValue } from './fault.js';
import type { RelayCall, RelayConnection, RelayOperation, RelayOptions, RelayPlayer } from './options.js';
import { createOriginNotes } from './origin-notes.js';
import { compareClaims, type PageEvent, readPageEvent } from './page-event.js';
import { readEvent } from './read-event.js';
import { createRecent, type Recent } from './recent.js';
import { report } from './report.js';
import { requireSamePlayer } from './same-player.js';
import { type RelaySettings, readRelaySettings } from './settings.js';
import { createThrownNotes } from './thrown-notes.js';

/** Answers a page's request. Never rejects. */
export type Relay = (request: WebRequest, connection?: RelayConnection) => Promise<WebResponse>;

/**
 * Makes a relay: your own backend accepts a page's events, adds the player, and reports them with its API key. It
 * answers `POST …/report-bet-event` and `POST …/report-withdrawal-event` below the path at which it is mounted, and no
 * other path. Throws a `ConfigurationError` that lists every problem with the options.
 *
 * @example
 * ```ts
 * const relay = createRelay({
 *   client: createClient(),
 *   authorize: async (request, { operation }) => {
 *     const player = await sessions.find(request.headers.get('cookie'));
 *     return player && { user: operation === 'reportBetEvent' ? player.betUser : player.withdrawalUser };
 *   },
 * });
 * ```
 */
export function createRelay<Player extends RelayPlayer>(options: RelayOptions<Player>): Relay {
  const settings = readRelaySettings(options);
  const kept: Kept = { recent: createRecent(settings.clock), noteThrown: createThrownNotes(settings.logger, settings.clock) };
  const noteOrigin = createOriginNotes(settings.logger);
  return async (request, connection) => {
    let headers: Readonly<Record<string, string>> = {};
    let outcome: ErrorOutcome = 'not-sent';
    try {
      const admitted = admit(request as Request, settings, connection?.requestTarget);
      headers = admitted.headers;
      const { operation, refused, foreign, why } = admitted;
      if (why) settings.logger.debug(`refused: ${why}`);
      if (foreign) noteOrigin(request as Request);
      if (refused || !operation) return toResponse(refused ?? { status: 204 }, headers);
      const answered = await answer(request as Request, connection ?? {}, operation, kept, settings);
      outcome = 'unknown';
      return toResponse(answered, headers);
    } catch (error) {
      if (error instanceof RefusedRequest) return toResponse(error.answer, headers);
      return toResponse(broken(noteFault(settings.logger, `the relay ${describeThrown(error)}`), outcome), headers);
    }
  };
}

/** The state that a relay keeps between requests. */
interface Kept {
  readonly recent: Recent;
  readonly noteThrown: (line: string) => void;
}

/** Authorizes the player, checks the rate limit, reads the event, adds the fields of the operator, and then reports it. */
async function answer<Player extends RelayPlayer>(
  request: Request,
  connection: RelayConnection,
  operation: RelayOperation,
  { recent, noteThrown }: Kept,
  settings: RelaySettings<Player>,
): Promise<RelayAnswer> {
  const { clock, logger } = settings;
  const deadline = clock.now() + settings.timeoutMs;
  const left = () => Math.max(0, deadline - clock.now());
  const call = (signal: AbortSignal): RelayCall => ({ operation, native: connection.native, signal });

  const { player, user } = await authorized(request, call, left(), noteThrown, settings);
  if (request.bodyUsed) return broken(noteFault(logger, 'the request body was read before the relay: your server and authorize must leave it unread'));
  await requireSamePlayer(request, player, user);
  await withinLimit(player, operation, left(), settings);

  const body = await readEvent(request, { clock, maxBodyBytes: settings.maxBodyBytes, milliseconds: Math.min(settings.bodyTimeoutMs, left()) });
  const { event: page, issues } = readPageEvent(operation, body, settings);
  if (issues.length > 0) return invalid(issues, page.reference);

  const added = await completed(page, (signal) => ({ ...call(signal), player }), left(), settings);
  const { location: ofOperator, ...fields } = added;
  const location = (ofOperator ?? page.location) as PageEvent['location'];
  const event: Record<string, unknown> = { ...page.fields, user, ...fields };
  // The field also identifies the player (specification, section 2.2), so a page may not choose it.
  if ('userId' in operations[operation].request.fields) event.userId ??= playerIdOf(event);
  const differing = compareClaims(page.claimed, event);
  if (differing.length > 0) return invalid(differing, page.reference);

  const reference = operations[operation].reference;
  const named = event[reference];
  const key = await eventKeyOf({
    operation,
    environment: settings.environment,
    player: playerIdOf(event) ?? event.user,
    reference: named,
    page: [page.fields, page.location],
  });
  return report(
    {
      operation,
      player,
      event,
      reference: typeof named === 'string' ? named : page.reference,
      location,
      clientIP: location === undefined ? addressOf(request, connection, settings) : undefined,
      owned: ['user', 'userId', 'clientIP', 'environment', ...Object.keys(added)],
      key,
      deadline,
    },
    recent,
    settings,
  );
}

const playerIdOf = ({ user }: Record<string, unknown>) => (user as { user_id?: unknown } | null)?.user_id;

/** The player, with a copy of the user object that cannot change later. */
async function authorized<Player extends RelayPlayer>(
  request: Request,
  call: (signal: AbortSignal) => RelayCall,
  milliseconds: number,
  noteThrown: Kept['noteThrown'],
  settings: RelaySettings<Player>,
) {
  const { logger } = settings;
  const ended = await callHook((signal) => settings.authorize(request, call(signal)), milliseconds, settings);
  // Some session checks throw if there is no session.
  if (ended.ended === 'failed') {
    noteThrown(`the option authorize ${describeThrown(ended.error)}; answered 401, as if no player were logged in`);
    return refuse(refusals.noSession);
  }
  const player = settledValue(ended, 'authorize', logger);
  if (player === null || player === undefined || player === false) {
    logger.debug('refused: the option authorize returned no player');
    return refuse(refusals.noSession);
  }
  const { value: user, issues } = copyJson((player as Partial<RelayPlayer>).user);
  if (typeof user === 'object' && user !== null && !Array.isArray(user) && issues.length === 0) return { player, user: user as Record<string, unknown> };
  return refuse(broken(noteFault(logger, 'the option authorize must return { user }, with the user object as plain data')));
}

async function withinLimit<Player extends RelayPlayer>(
  player: Player,
  operation: RelayOperation,
  milliseconds: number,
  settings: RelaySettings<Player>,
): Promise<void> {
  const { limit, logger } = settings;
  if (!limit) return;
  const over = settledValue(await callHook(() => limit(player, operation), milliseconds, settings), 'limit', logger);
  if (over === false || over === undefined) return;
  const wait = typeof over === 'object' && over !== null ? over.retryAfterMs : undefined;
  const isWait = typeof wait === 'number' && Number.isFinite(wait) && wait >= 0;
  if (over !== true && !isWait) refuse(broken(noteFault(logger, 'the option limit must return true, false or { retryAfterMs }')));
  refuse(tooMany(isWait ? wait : undefined, 'not-sent'));
}

/** The operator's additions. */
async function completed<Player extends RelayPlayer>(
  page: PageEvent,
  call: (signal: AbortSignal) => RelayCall & { player: Player },
  milliseconds: number,
  settings: RelaySettings<Player>,
): Promise<Record<string, unknown>> {
  const { complete, logger } = settings;
  if (!complete) return {};
  const event = { ...page.fields, ...(page.location && { location: page.location }) };
  const added = settledValue(await callHook((signal) => complete(event, call(signal)), milliseconds, settings), 'complete', logger);
  if (added === null) {
    logger.debug('refused: the option complete returned null');
    return refuse(refusals.forbidden);
  }
  if (added === undefined) return {};
  const { value, issues } = copyJson(added);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && issues.length === 0) return value as Record<string, unknown>;
  return refuse(broken(noteFault(logger, 'the option complete must return an object of plain data, null or nothing')));
}

function addressOf<Player extends RelayPlayer>(
  request: Request,
  { remoteAddress, rawHeaders }: RelayConnection,
  { trustedProxies, logger }: RelaySettings<Player>,
): string | undefined {
  const connected = typeof remoteAddress === 'string' ? remoteAddress : undefined;
  const address = clientIpFrom({ headers: request.headers, rawHeaders }, { trustedProxies, remoteAddress: connected });
  if (address === undefined) logger.warn("the player's address is unknown: pass { remoteAddress } to the relay, or set trustedProxies");
  return address;
}
