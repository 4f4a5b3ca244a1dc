import { hmacSha256, MUST_BE_EXTRACTABLE } from '../../core/platform/hash.js';
import { refuse } from '../../core/web/answer.js';
import { callHook, describeUnfinished, noteFault } from '../../core/web/hooks.js';
import { isSameSecret } from '../../core/web/same-secret.js';
import { isStorable } from '../../outbox/stores/storable-text.js';
import { failed, refusals } from './answers.js';
import type { ConsoleConnection, ConsoleSettings, ConsoleVisitor } from './console-options.js';

export const LONGEST_NAME = 200;

/** A right that `authorize` did not grant is false. */
export type Visitor = Readonly<Required<{ [Name in keyof ConsoleVisitor]: NonNullable<ConsoleVisitor[Name]> }>>;

export async function visitorOf(
  request: Request,
  { native }: ConsoleConnection,
  noteThrown: (line: string) => void,
  settings: ConsoleSettings,
): Promise<Visitor> {
  const { logger, hookTimeoutMs } = settings;
  const ended = await callHook((signal) => settings.authorize(request, { native, signal }), hookTimeoutMs, settings);
  // Many session checks throw if there is no session.
  if (ended.ended !== 'done') {
    noteThrown(`the option authorize ${describeUnfinished(ended)}; answered with 401`);
    return refuse(refusals.noSession);
  }
  if (!ended.value) return refuse(refusals.noSession);
  const { name, mayAct, mayReadBodies } = ended.value;
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME || !isStorable(name))
    return refuse(
      failed(noteFault(logger, `the option authorize must return { name }, of 1 to ${LONGEST_NAME} characters`)),
    );
  return { name: name.trim(), mayAct: mayAct === true, mayReadBodies: mayReadBodies === true };
}

const VALID_MS = 12 * 60 * 60 * 1_000;

/**
 * Tokens of actions: each proves that an action comes from a page that the same visitor got from a console over this
 * store. `secret` is read once. All processes that serve the console over one store need the same secret.
 */
export function createTokens(secret: () => Promise<string>, now: () => number) {
  let key: Promise<CryptoKey> | undefined;
  const keyOf = async (): Promise<CryptoKey> => {
    const bytes = new TextEncoder().encode(await secret());
    return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, MUST_BE_EXTRACTABLE, ['sign']);
  };
  const signed = async (until: string, visitor: string): Promise<string> => {
    // A store that cannot answer now may answer later.
    key ??= keyOf().catch((error: unknown) => {
      key = undefined;
      throw error;
    });
    return `${until}.${await hmacSha256(await key, `${until}\n${visitor}`)}`;
  };
  return {
    give: (visitor: string): Promise<string> => signed(String(now() + VALID_MS), visitor),
    async holds(token: string | null, visitor: string): Promise<boolean> {
      const [until = ''] = token?.split('.', 1) ?? [];
      if (token === null || !/^\d{1,15}$/.test(until) || Number(until) < now()) return false;
      return isSameSecret(token, await signed(until, visitor));
    },
  };
}
