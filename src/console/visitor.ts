import { callHook, describeThrown, noteFault } from '../relay/fault.js';
import { failed, refusals, refuse } from './answers.js';
import type { ConsoleConnection, ConsoleVisitor } from './options.js';
import type { ConsoleSettings } from './settings.js';

const LONGEST_NAME = 200;

/** The colleague who looks. Nothing is left out, and nothing is true that was not said. */
export type Visitor = Readonly<Required<{ [Name in keyof ConsoleVisitor]: NonNullable<ConsoleVisitor[Name]> }>>;

/** Asks the operator's session check, for each request anew. */
export async function visitorOf(
  request: Request,
  { native }: ConsoleConnection,
  noteThrown: (line: string) => void,
  settings: ConsoleSettings,
): Promise<Visitor> {
  const { logger, hookTimeoutMs } = settings;
  const ended = await callHook((signal) => settings.authorize(request, { native, signal }), hookTimeoutMs, settings);
  // Many a session check throws where there is no session.
  if (ended.ended !== 'done') {
    noteThrown(`the option authorize ${ended.ended === 'failed' ? describeThrown(ended.error) : 'did not answer in time'}; answered with 401`);
    return refuse(refusals.noSession);
  }
  if (!ended.value) return refuse(refusals.noSession);
  const { name, mayAct, mayReadBodies } = ended.value;
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME)
    return refuse(failed(noteFault(logger, `the option authorize must return { name }, of 1 to ${LONGEST_NAME} characters`)));
  return { name, mayAct: mayAct === true, mayReadBodies: mayReadBodies === true };
}
