import { isStoreError } from '../../core/errors/store-error.js';
import type { Logger } from '../../core/platform/logger.js';
import { printable } from '../../core/platform/messages.js';
import type { Clock } from '../../core/platform/time.js';
import type { WebRequest, WebResponse } from '../../core/platform/web-types.js';
import { type RefusalAnswer, RefusedRequest, refuse, type WebAnswer } from '../../core/web/answer.js';
import { createNotes, describeThrown, noteFault } from '../../core/web/hooks.js';
import { createOriginNotes } from '../../core/web/origin.js';
import { readJson } from '../../core/web/read-json.js';
import { OperatorRefusal } from '../../operator/context.js';
import { createOperator, type Operator } from '../../operator/operator.js';
import { admit, type Route } from './admit.js';
import {
  type ConsoleSession,
  failed,
  invalid,
  json,
  refusals,
  refusedByOperator,
  storeFailed,
  textAnswer,
  toResponse,
} from './answers.js';
import { CALLS, type Call } from './calls.js';
import {
  type ConsoleConnection,
  type ConsoleOptions,
  type ConsoleSettings,
  readConsoleSettings,
} from './console-options.js';
import { fileAnswer, pageAt, refusalPage } from './files.js';
import type { Input } from './input.js';
import { createTokens, type Visitor, visitorOf } from './visitor.js';

/** Answers a request of the console's page. Never rejects. */
export type Console = (request: WebRequest, connection?: ConsoleConnection) => Promise<WebResponse>;

/**
 * Makes the operator's console: a page that shows the state of an outbox, and where colleagues decide about reports.
 * `authorize` decides who may open it. Mount it under any path of your backend, like a relay. Throws a
 * `ConfigurationError` that lists every wrong option.
 *
 * @example
 * ```ts
 * const handler = createConsole({
 *   outbox,
 *   authorize: async (request) => {
 *     const colleague = await sessions.find(request.headers.get('cookie'));
 *     return colleague && { name: colleague.login, mayAct: colleague.isOnCall };
 *   },
 * });
 * ```
 */
export function createConsole(options: ConsoleOptions): Console {
  const settings = readConsoleSettings(options);
  return consoleOver(createOperator({ over: options.outbox }), settings);
}

/** The console over an operator's functions: what `createConsole` and the command line have in common. */
export function consoleOver(operator: Operator, settings: ConsoleSettings): Console {
  const { logger, clock, readOnly } = settings;
  const tokens = createTokens(() => operator.secret(), clock.now);
  const noteThrown = createNotes(logger, clock);
  const noteOrigin = createOriginNotes(logger, 'console');

  /** Checks the visitor first: without a session the answer reveals nothing, not even which calls exist. */
  async function answer(request: Request, connection: ConsoleConnection, route: Route): Promise<WebAnswer> {
    const visitor = await visitorOf(request, connection, noteThrown, settings);
    if (route.kind === 'page') return pageAt(route.base);
    if (route.kind === 'file') return fileAnswer(route.name, request.headers.get('if-none-match'));
    if (route.name === 'session') return json(await sessionOf(visitor));
    const call = Object.hasOwn(CALLS, route.name) ? CALLS[route.name] : undefined;
    if (!call) return refusals.noSuchPath;
    requireRight(call, visitor);
    const hasToken =
      call.right === 'look' || (await tokens.holds(request.headers.get('x-console-token'), visitor.name));
    return hasToken ? runCall(call, await readCall(request, clock), visitor) : refusals.token;
  }

  const sessionOf = async ({ name, mayAct, mayReadBodies }: Visitor): Promise<ConsoleSession> => ({
    name,
    mayAct: mayAct && !readOnly,
    mayReadBodies: mayReadBodies && !readOnly,
    readOnly,
    accounts: operator.accounts ?? null,
    token: await tokens.give(name),
  });

  function requireRight({ right }: Call, { mayAct, mayReadBodies }: Visitor): void {
    // To see a body writes a decision, too.
    if (right !== 'look' && readOnly) refuse(refusals.readOnly);
    if (right === 'act' && !mayAct) refuse(refusals.mayNotAct);
    if (right === 'read-body' && !mayReadBodies) refuse(refusals.mayNotRead);
  }

  async function runCall(call: Call, input: Input, visitor: Visitor): Promise<WebAnswer> {
    const result = call.run(operator, input, visitor);
    if (!(Symbol.asyncIterator in result)) return json((await result) ?? null);
    return textAnswer(
      'application/jsonl',
      toLines(result, (error) => refusalOf(error, logger).body),
    );
  }

  return async (request, connection = {}) => {
    let isForPerson = false;
    try {
      const route = admit(request as Request, settings.allowedOrigins, noteOrigin, connection.requestTarget);
      isForPerson = route.kind === 'page' && /\btext\/html\b/i.test(request.headers.get('accept') ?? '');
      return toResponse(await answer(request as Request, connection, route));
    } catch (error) {
      const refused = refusalOf(error, logger);
      return toResponse(isForPerson ? refusalPage(refused) : refused);
    }
  };
}

const MOST_BYTES = 1024 * 1024;
const LONGEST_MS = 30_000;

const readCall = (request: Request, clock: Clock): Promise<Input> =>
  readJson(
    request,
    { clock, maxBytes: MOST_BYTES, milliseconds: LONGEST_MS },
    { ...refusals, invalid: () => invalid('The body must be a JSON object. Nothing was changed.') },
  );

function refusalOf(error: unknown, logger: Required<Logger>): RefusalAnswer {
  if (error instanceof RefusedRequest) return error.answer;
  if (error instanceof OperatorRefusal) return refusedByOperator(error);
  if (isStoreError(error)) {
    noteFault(logger, error.message);
    return storeFailed(printable(error.message));
  }
  return failed(noteFault(logger, `the console ${describeThrown(error)}`));
}

/**
 * Streams items as JSON lines, as fast as the page reads them. If an item fails, the last line is `describe(error)`,
 * since the status was sent before.
 */
function toLines(items: AsyncIterable<unknown>, describe: (error: unknown) => unknown): ReadableStream<Uint8Array> {
  const iterator = items[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const lineOf = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (done) controller.close();
          else controller.enqueue(lineOf(value));
        } catch (error) {
          controller.enqueue(lineOf(describe(error)));
          controller.close();
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
