import type { Standing } from '../kit/mark.js';
import type { JournalEntry } from '../mock/journal.js';

const STATUS: Readonly<Record<number, string>> = {
  400: 'Not understood',
  401: 'Key refused',
  404: 'Not initiated',
  405: 'Wrong method',
  413: 'Too large',
  422: 'Invalid',
  429: 'Too many requests',
};

const SPOILT = ['half-body', 'broken-json', 'wrong-content-type'];

/** The result of a journal entry for the sender of the request. */
export function outcomeOf({ applied, status, fault, operation, answer }: JournalEntry): Standing {
  const { message, success } = (typeof answer === 'object' && answer !== null ? answer : {}) as { message?: unknown; success?: unknown };
  const spoilt = status !== undefined && fault !== undefined && SPOILT.includes(fault);
  if (applied && status === undefined) return { tone: 'doubt', words: 'Recorded, answer lost' };
  if (applied && (spoilt || (status ?? 0) >= 300)) return { tone: 'doubt', words: 'Recorded, answer corrupted' };
  if (applied) return { tone: 'ok', words: 'Recorded' };
  if (status === undefined) return { tone: 'bad', words: 'No answer' };
  if (spoilt) return { tone: 'bad', words: 'Answer corrupted' };
  if (fault === 'status') return { tone: 'bad', words: `Answered ${status}` };
  if (operation === 'verifyNin' && status === 200) return { tone: 'ok', words: success ? 'Verified' : 'Not verified' };
  if (/already been reported/.test(String(message))) {
    return /different/.test(String(message)) ? { tone: 'bad', words: 'Conflict: other data is recorded' } : { tone: 'repeat', words: 'Repeat refused' };
  }
  if (status === 404 && !operation) return { tone: 'bad', words: 'No such path' };
  return { tone: 'bad', words: STATUS[status] ?? (status < 300 ? 'Empty answer' : `Answered ${status}`) };
}
