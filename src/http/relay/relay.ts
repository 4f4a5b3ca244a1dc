import type { ErrorOutcome } from '../../core/errors/errors.js';
import { clientIpFrom } from '../../core/location/server/client-ip-from.js';
import { isRecord } from '../../core/platform/as-record.js';
import { playerTag } from '../../core/platform/hash.js';
import type { Logger } from '../../core/platform/logger.js';
import type { TimedResult } from '../../core/platform/time.js';
import type { WebRequest, WebResponse } from '../../core/platform/web-types.js';
import { PLAYER_HEADER } from '../../core/protocol/headers.js';
import { operations } from '../../core/protocol/operations.js';
import { copyJson } from '../../core/schema/copy-json.js';
import { RefusedRequest, refuse, type WebAnswer } from '../../core/web/answer.js';
import { callHook, createNotes, describeThrown, describeUnfinished, noteFault } from '../../core/web/hooks.js';
import { createOriginNotes } from '../../core/web/origin.js';
import { readJson } from '../../core/web/read-json.js';
import { admit } from './admit.js';
import { broken, invalid, refusals, tooMany, toResponse } from './answers.js';
import { type PageEvent, readPageEvent, timestampProblem } from './page-event.js';
import { createRecent, eventKeyOf, type Recent } from './recent.js';
import {
  type RelayCall,
  type RelayConnection,
  type RelayOperation,
  type RelayOptions,
  type RelayPlayer,
  type RelaySettings,
  readRelaySettings,
} from './relay-options.js';
import { report } from './report.js';

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
  const state: RelayState = {
    recent: createRecent(settings.clock),
    noteOnce: createNotes(settings.logger, settings.clock),
  };
  const noteOrigin = createOriginNotes(settings.logger, 'relay');
  return async (request, connection) => {
    let headers: Readonly<Record<string, string>> = {};
    let outcome: ErrorOutcome = 'not-sent';
    try {
      const admitted = admit(request as Request, settings, connection?.requestTarget);
      headers = admitted.headers;
      const { operation, refused, foreign, native, why } = admitted;
      if (why) settings.logger.debug(`refused: ${why}`);
      if (foreign) noteOrigin(request as Request);
      if (native) state.noteOnce(native);
      if (refused || !operation) return toResponse(refused ?? { status: 204 }, headers);
      const answered = await answer(request as Request, connection ?? {}, operation, state, settings);
      outcome = 'unknown';
      return toResponse(answered, headers);
    } catch (error) {
      if (error instanceof RefusedRequest) return toResponse(error.answer, headers);
      return toResponse(broken(noteFault(settings.logger, `the relay ${describeThrown(error)}`), outcome), headers);
    }
  };
}

interface RelayState {
  readonly recent: Recent;
  readonly noteOnce: (line: string) => void;
}

async function answer(
  request: Request,
  connection: RelayConnection,
  operation: RelayOperation,
  { recent, noteOnce }: RelayState,
  settings: RelaySettings,
): Promise<WebAnswer> {
  const { clock, logger } = settings;
  const deadline = clock.now() + settings.timeoutMs;
  const left = () => Math.max(0, deadline - clock.now());
  const call = (signal: AbortSignal): RelayCall => ({ operation, native: connection.native, signal });

  const { player, user } = await authorized(request, call, left(), noteOnce, settings);
  if (request.bodyUsed)
    fail(logger, 'the request body was read before the relay: your server and authorize must leave it unread');
  await requireSamePlayer(request, player, user);
  await withinLimit(player, operation, left(), settings);

  const milliseconds = Math.min(settings.bodyTimeoutMs, left());
  const body = await readJson(
    request,
    { clock, maxBytes: settings.maxBodyBytes, milliseconds },
    { ...refusals, invalid },
  );
  const { event: page, issues } = readPageEvent(operation, body, settings);
  if (issues.length > 0) return invalid(issues, page.reference);

  const added = await completed(page, (signal) => ({ ...call(signal), player }), left(), settings);
  const { location: ofOperator, ...fields } = added;
  const location = (ofOperator ?? page.location) as PageEvent['location'];
  const event: Record<string, unknown> = { ...page.fields, user, ...fields };
  // The field also identifies the player (specification, section 2.2), so a page may not choose it.
  if ('userId' in operations[operation].request.fields) event.userId ??= playerIdOf(event);

  const reference = operations[operation].reference;
  const named = event[reference];
  // A page understands an answer about its own report only.
  if (page.reference !== undefined && named !== page.reference)
    fail(logger, `the option complete must leave the ${reference} of the page as it is`);
  const key = await eventKeyOf(
    {
      operation,
      environment: event.environment ?? settings.environment,
      player: playerIdOf(event) ?? event.user,
      reference: named,
    },
    event,
  );
  function late(): WebAnswer | undefined {
    if (added.timestamp !== undefined) return undefined;
    const problem = timestampProblem(page.fields.timestamp, clock.now(), settings.timestampWindowMs);
    if (!problem) return undefined;
    noteOnce(
      "refused: a page's timestamp is too far from the clock of this machine (timestampWindowMs); if it happens to many players, look at that clock",
    );
    return invalid([problem], page.reference);
  }
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
      late,
    },
    recent,
    settings,
  );
}

const playerIdOf = ({ user }: Record<string, unknown>) => (user as { user_id?: unknown } | null)?.user_id;

/** With a copy of the user object that cannot change later. */
async function authorized(
  request: Request,
  call: (signal: AbortSignal) => RelayCall,
  milliseconds: number,
  noteOnce: RelayState['noteOnce'],
  settings: RelaySettings,
) {
  const { logger } = settings;
  const ended = await callHook((signal) => settings.authorize(request, call(signal)), milliseconds, settings);
  // Some session checks throw if there is no session.
  if (ended.ended === 'failed') {
    noteOnce(`the option authorize ${describeThrown(ended.error)}; answered 401, as if no player were logged in`);
    return refuse(refusals.noSession);
  }
  const player = resultOf(ended, 'authorize', logger);
  if (player === null || player === undefined || player === false) {
    logger.debug('refused: the option authorize returned no player');
    return refuse(refusals.noSession);
  }
  const { value: user, issues } = copyJson((player as Partial<RelayPlayer>).user);
  if (isRecord(user) && issues.length === 0) return { player, user };
  return fail(logger, 'the option authorize must return { user }, with the user object as plain data');
}

/**
 * Refuses a report that a page's outbox kept from another player's session: it would name the player who is logged in
 * now. A page without an outbox sends no header, since its reports do not outlive its session.
 */
async function requireSamePlayer(
  request: Request,
  { outboxPlayer }: RelayPlayer,
  { user_id }: Record<string, unknown>,
): Promise<void> {
  const tag = request.headers.get(PLAYER_HEADER);
  if (tag !== null && tag !== (await playerTag(String(outboxPlayer ?? user_id)))) refuse(refusals.otherPlayer);
}

async function withinLimit(
  player: RelayPlayer,
  operation: RelayOperation,
  milliseconds: number,
  settings: RelaySettings,
): Promise<void> {
  const { limit, logger } = settings;
  if (!limit) return;
  const over = resultOf(await callHook(() => limit(player, operation), milliseconds, settings), 'limit', logger);
  if (over === false || over === undefined) return;
  const wait = typeof over === 'object' && over !== null ? over.retryAfterMs : undefined;
  const isWait = typeof wait === 'number' && Number.isFinite(wait) && wait >= 0;
  if (over !== true && !isWait) fail(logger, 'the option limit must return true, false or { retryAfterMs }');
  refuse(tooMany(isWait ? wait : undefined, 'not-sent'));
}

async function completed(
  page: PageEvent,
  call: (signal: AbortSignal) => RelayCall & { player: RelayPlayer },
  milliseconds: number,
  settings: RelaySettings,
): Promise<Record<string, unknown>> {
  const { complete, logger } = settings;
  if (!complete) return {};
  const event = { ...page.fields, ...(page.location && { location: page.location }) };
  const ended = await callHook((signal) => complete(event, call(signal)), milliseconds, settings);
  const added = resultOf(ended, 'complete', logger);
  if (added === null) {
    logger.debug('refused: the option complete returned null');
    return refuse(refusals.forbidden);
  }
  if (added === undefined) return {};
  const { value, issues } = copyJson(added);
  if (isRecord(value) && issues.length === 0) return value;
  return fail(logger, 'the option complete must return an object of plain data, null or nothing');
}

function addressOf(
  request: Request,
  { remoteAddress, rawHeaders }: RelayConnection,
  { trustedProxies, logger }: RelaySettings,
): string | undefined {
  const connected = typeof remoteAddress === 'string' ? remoteAddress : undefined;
  const address = clientIpFrom({ headers: request.headers, rawHeaders }, { trustedProxies, remoteAddress: connected });
  if (address === undefined)
    logger.warn("the player's address is unknown: pass { remoteAddress } to the relay, or set trustedProxies");
  return address;
}

function resultOf<T>(ended: TimedResult<T>, name: string, logger: Required<Logger>): T {
  return ended.ended === 'done' ? ended.value : fail(logger, `the option ${name} ${describeUnfinished(ended)}`);
}

/** Ends a request because of the operator's own mistake: the log has the reason, the page its id. */
const fail = (logger: Required<Logger>, why: string): never => refuse(broken(noteFault(logger, why)));
