import type { ConsoleData } from '../outbox/console/data.js';
import { ConsoleRefusal } from '../outbox/console/refusal.js';
import type { Logger } from '../platform/logger.js';
import { printable } from '../platform/printable.js';
import type { WebRequest, WebResponse } from '../platform/web-types.js';
import { describeThrown, noteFault } from '../relay/fault.js';
import { createOriginNotes } from '../relay/origin-notes.js';
import { createThrownNotes } from '../relay/thrown-notes.js';
import { admit } from './admit.js';
import { type ConsoleAnswer, failed, json, lines, RefusedCall, refusalIn, refusals, refuse, refusedByData, storeFailed, toResponse } from './answers.js';
import { CALLS, type Call } from './calls.js';
import { fileAnswer, pageAt } from './files.js';
import { type Input, readDecision } from './input.js';
import { toLines } from './lines.js';
import { createOnce } from './once.js';
import type { ConsoleConnection } from './options.js';
import { readCall } from './read-call.js';
import { asPage } from './refusal-page.js';
import type { Route } from './route.js';
import type { ConsoleSession } from './session.js';
import type { ConsoleSettings } from './settings.js';
import { type ActionTokens, createTokens } from './token.js';
import { type Visitor, visitorOf } from './visitor.js';

/** Answers a request of the console's page. Never rejects. */
export type Console = (request: WebRequest, connection?: ConsoleConnection) => Promise<WebResponse>;

/** Kept from one request to the next. */
interface Kept {
  readonly data: ConsoleData;
  readonly settings: ConsoleSettings;
  readonly tokens: ActionTokens;
  readonly once: ReturnType<typeof createOnce>;
  readonly noteThrown: (line: string) => void;
}

/** The console over its data: what `createConsole` and the command line have in common. */
export function consoleOver(data: ConsoleData, settings: ConsoleSettings): Console {
  const { logger, clock } = settings;
  const kept: Kept = {
    data,
    settings,
    tokens: createTokens(() => data.secret(), clock.now),
    once: createOnce(clock),
    noteThrown: createThrownNotes(logger, clock),
  };
  const noteOrigin = createOriginNotes(logger, 'console');
  return async (request, connection = {}) => {
    let isForPerson = false;
    try {
      const admitted = admit(request as Request, settings.allowedOrigins, connection.requestTarget);
      if (admitted.refused && admitted.foreign) noteOrigin(request as Request);
      isForPerson = admitted.route?.kind === 'page' && /\btext\/html\b/i.test(request.headers.get('accept') ?? '');
      return toResponse(admitted.refused ?? (await answer(request as Request, connection, admitted.route, kept)));
    } catch (error) {
      const refused = answerForError(error, logger);
      return toResponse(isForPerson ? asPage(refused) : refused);
    }
  };
}

/** A visitor who is not logged in is told nothing, not even which calls there are. */
async function answer(request: Request, connection: ConsoleConnection, route: Route, kept: Kept): Promise<ConsoleAnswer> {
  const { settings, tokens, noteThrown } = kept;
  const visitor = await visitorOf(request, connection, noteThrown, settings);
  if (route.kind === 'page') return pageAt(route.base);
  if (route.kind === 'file') return fileAnswer(route.name, request.headers.get('if-none-match'));
  if (route.name === 'session') return json(await sessionOf(visitor, kept));
  const call = Object.hasOwn(CALLS, route.name) ? CALLS[route.name] : undefined;
  if (!call) return refusals.noSuchPath;
  requireRight(call, visitor, settings);
  const hasToken = call.right === 'look' || (await tokens.holds(request.headers.get('x-console-token'), visitor.name));
  if (!hasToken) return refusals.token;
  return carryOut(call, await readCall(request, settings.clock), visitor, kept);
}

/** Tells the page what it must know before it shows anything. */
async function sessionOf({ name, mayAct, mayReadBodies }: Visitor, { data, settings: { readOnly }, tokens }: Kept): Promise<ConsoleSession> {
  const { can, accounts } = data;
  return {
    name,
    mayAct: mayAct && !readOnly && can.decide,
    mayReadBodies: mayReadBodies && !readOnly && can.body,
    readOnly,
    can,
    accounts: accounts ?? null,
    token: await tokens.give(name),
  };
}

function requireRight({ right }: Call, { mayAct, mayReadBodies }: Visitor, { readOnly }: ConsoleSettings): void {
  // To see a body writes a decision, too.
  if (right !== 'look' && readOnly) refuse(refusals.readOnly);
  if (right === 'act' && !mayAct) refuse(refusals.mayNotAct);
  if (right === 'read-body' && !mayReadBodies) refuse(refusals.mayNotRead);
}

async function carryOut(call: Call, input: Input, visitor: Visitor, { data, settings: { logger }, once }: Kept): Promise<ConsoleAnswer> {
  const run = () => call.run(data, input, visitor);
  if (call.once) return json(await once(JSON.stringify([call.once(input), visitor.name, readDecision(input)]), async () => run()));
  const result = run();
  if (Symbol.asyncIterator in result) return lines(toLines(result, (error) => refusalIn(answerForError(error, logger))));
  return json((await result) ?? null);
}

function answerForError(error: unknown, logger: Required<Logger>): ConsoleAnswer {
  if (error instanceof RefusedCall) return error.answer;
  if (error instanceof ConsoleRefusal) return refusedByData(error);
  // By its name, since the console does not load the SQLite store. Its message holds no data of a report.
  if (error instanceof Error && error.name === 'SqliteStoreError') {
    noteFault(logger, error.message);
    return storeFailed(printable(error.message));
  }
  return failed(noteFault(logger, `the console ${describeThrown(error)}`));
}
