import { members } from '../members.js';
import type { Sent } from '../schema/sent-words.js';
import { parseRetryAfter } from '../time.js';
import { messageOf } from './answer.js';
import type { Attempted } from './attempt.js';
import { classifyStatus } from './classify-status.js';
import type { Answer, DeliverySettings } from './settings.js';
import { type Asked, brokenOff, classifySilence, held, mayHaveBrokenOff, readAnswer, type Verdict } from './verdict.js';

/** Says what the end of an attempt means. */
export function classify(attempted: Attempted, asked: Asked, settings: DeliverySettings): Verdict {
  if (attempted.ended !== 'answered') return { kind: 'failed', failure: classifySilence(attempted, settings.browser) };
  const { status, text, retryAfter } = attempted;
  const answer = readAnswer(status, text);
  const retryAfterMs = parseRetryAfter(retryAfter, settings.clock.now());
  if (mayHaveBrokenOff(attempted, answer)) return { kind: 'failed', failure: brokenOff(status, retryAfterMs) };
  const said = answer.json ? messageOf(answer.body) : undefined;

  if (status >= 200 && status < 300) {
    if (asked.isReport ? ask(settings, 'isRecorded', answer, asked.sent) === true : hasVerdict(answer)) return { kind: 'recorded', body: answer.body, said };
  } else if (asked.isReport) {
    const duplicate = ask(settings, 'isDuplicate', answer, asked.sent);
    if (duplicate === 'same' || duplicate === 'conflict')
      return { kind: duplicate === 'same' ? 'same' : 'failed', failure: { ...held(status, duplicate, settings.browser), said } };
  }
  return { kind: 'failed', failure: { ...classifyStatus(answer, asked, retryAfterMs), said } };
}

/** A part of an answer (206) is none. */
const hasVerdict = ({ status, body }: Answer): boolean => status !== 206 && typeof members(body).success === 'boolean';

const MEANINGS = { isRecorded: [true, false], isDuplicate: ['same', 'conflict', false] } as const;

/** Asks the user's function; one that throws, or answers with something else, has not answered, and the careful reading stands. */
function ask<Name extends 'isRecorded' | 'isDuplicate'>(
  settings: DeliverySettings,
  name: Name,
  answer: Answer,
  sent: () => Sent,
): ReturnType<DeliverySettings[Name]> | false {
  let fault = 'threw';
  try {
    const meaning = settings[name](answer, sent) as ReturnType<DeliverySettings[Name]>;
    // One that is asynchronous by mistake must not end the process when it fails.
    Promise.resolve(meaning).catch(() => {});
    if ((MEANINGS[name] as readonly unknown[]).includes(meaning)) return meaning;
    fault = `must return ${MEANINGS[name].join(' or ')}`;
  } catch {
    // Said below; what it threw may hold anything.
  }
  settings.logger.error(`The option ${name} ${fault}; HTTP ${answer.status} is read as if it had returned false.`);
  return false;
}
