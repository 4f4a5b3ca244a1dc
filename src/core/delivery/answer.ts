import { asRecord } from '../platform/as-record.js';
import type { Sent } from '../schema/sent.js';
import { readRepeated } from './duplicate.js';
import type { Answer } from './settings.js';

/** The message of a body: `message`, which some gateways send as a list, else `error`. */
export function messageOf(body: unknown): string | undefined {
  const { message, error } = asRecord(body);
  for (const said of [message, error]) {
    if (typeof said === 'string' && said.trim()) return said;
    if (Array.isArray(said)) return said.filter((line) => typeof line === 'string').join('; ') || undefined;
  }
  return undefined;
}

/** Names of members, in lower case and without separators. Each of these must be true. */
const SUCCESS = /^(?:is|was|has|request)?(?:ok|succe(?:eded|ss(?:ful)?))$/;
/** None of these may hold anything. */
const ERROR =
  /^err(?:s|no)?$|^(?:is|has|was|field|validation)?(?:error|exception|fail(?:ed|ure)?|fault|denied|invalid|rejected|unprocessed)s?(?:(?:item|record|report)?s?(?:count)?|de.*|m.*|text)$/;
/** Codes, and states in words. */
const CODE = /^(?:type|rc|ret|result|state|(?:http|error|fault|r(?:sp|e(?:sp|sponse|sult|t|turn)))?(?:code|status.*))$/;
/** States in words. That of a residence is the player's. */
const STATE = /^(?!resid).*status$|^(?:decision|disposition|verdict)$/;
/** Those of banks and of payment services, such as `responsecode`: only zeros, or a status of 2xx, mean success. */
const RESULT_CODE = /^[efr].*c/;
const TEXT = /(?:description|detail|info|message|msg|note|reason|remark|title)s?$/;
/** The members that hold the answer, or a part of it. */
const INNER = /^(?:|attributes|body|data|header|meta|payload|report|res[pu].*|status.*)$/;
/** None of these may be false or 0. None of those with a code or a part of the answer may be false. */
const DONE =
  /^(?:is|was)?(?:ack|done|valid|success(?=count)|(?:accept|acknowledg|approv|complet|creat|deliver|insert|persist|process|queu|receiv|record|report|sav|stor|submitt)ed)(?:count)?$/;
/** A word for no, as a flag or a state. */
const NO = /^(?:f|n|nac?k)$/i;
/** The outcome of an attempt to record. That of a bet, such as `VOID`, may be sent back. */
const FAILED_OUTCOME = /^(?:err|fail|reject)/i;
/** Envelopes of gateways have fewer levels. */
const DEEPEST = 6;

const FAILURE =
  /abort|already|bad.?request|cancel|can ?not|conflict|could|declin|den(?:ied|y)|differ|discard|drop|duplic|\berr|error|exceed|exception|exist|expire|fail|forbid|ignor|later|lock|miss(?!ion)|in(?:active|complete|sufficient|valid)|limit.*reach|\blog.?in\b|^(?:ko|nok?)$|maint|\bno.(?:access|record|such)|\bnot.?(?:a[clu]|exist|found|have|ok|permit|process|re[cp]|s[atu]|valid)|nothing.was|problem|quota.*reach|refus|reject|restrict|revok|roll.*back|skip|suspend|temporar|\bended|thrott|time(?:d.)?out|too.many|un(?:able|auth|avail|deliv|ex|known|process|success)|void|wrong/i;

const matchesAny = (name: string, ...names: readonly RegExp[]): boolean => names.some((pattern) => pattern.test(name));

const saysFailed = (text: string): boolean => FAILURE.test(text.replace(/\b(?:0|no|without).(?:error|failure)/i, ''));

const isFailureCode = (code: string, isText: boolean, name: string): boolean =>
  Number.parseFloat(code) >= 400 ||
  /^-[0-9]|^e-?0*[1-9][0-9]*$/i.test(code) ||
  (isText && /^(?!00)[0-9]{2}$/.test(code)) ||
  (RESULT_CODE.test(name) && /[0-9]/.test(code) && !/^(?:0+|2[0-9]{2})$/.test(code));

/** Whether a member of an answer is a sign of failure. `isOnlyMember`: no other stands beside it, so it is an envelope. */
function isFailure(value: unknown, name: string, depth: number, isOnlyMember: boolean): boolean {
  const isText = typeof value === 'string';
  const text = isText || typeof value === 'number' || typeof value === 'boolean' ? `${value}`.trim() : '';
  if (SUCCESS.test(name)) return !/^(?:1|true)$/i.test(text);
  if (typeof value === 'object' && value !== null) {
    if (ERROR.test(name)) return Object.keys(value).length > 0;
    if (depth > DEEPEST) return false;
    if (Array.isArray(value)) return value.some((one) => isFailure(one, name, depth + 1, isOnlyMember));
    if (!isOnlyMember && !INNER.test(name)) return false;
    const members = Object.entries(value);
    return members.some(([key, inner]) =>
      isFailure(inner, key.replace(/[^a-z]/gi, '').toLowerCase(), depth + 1, members.length === 1),
    );
  }
  if (ERROR.test(name)) return value === 0 ? /^errors?$/.test(name) : !!value;
  if (text === 'false') return matchesAny(name, CODE, DONE, INNER);
  if (name === 'outcome') return FAILED_OUTCOME.test(text);
  return (
    (text === '0' && DONE.test(name)) ||
    (CODE.test(name) && isFailureCode(text, isText, name)) ||
    (NO.test(text) && matchesAny(name, CODE, DONE)) ||
    (isText && saysFailed(text) && matchesAny(name, CODE, DONE, INNER, STATE, TEXT))
  );
}

/**
 * Whether a 2xx answer means that the report is recorded (our decision): its body is JSON or empty, and nothing in it
 * says that it failed. A false doubt is ended by the next attempt; a false success loses the report. Any other body may
 * come from a captive portal or a proxy. 206 is a partial answer.
 */
export const isRecorded = ({ status, body, json }: Answer): boolean =>
  json && status !== 206 && !isFailure(body, '', 0, true);

/** Real refusals are shorter. A longer text would cost more to read than it is worth. */
const LONGEST_TEXT = 4_096;
const MOST_PARTS = 1_000;

/** `recorded: false` is read as "not recorded". Undefined if they are longer than a refusal. */
function stringsOf(body: unknown): string[] | undefined {
  const parts = [body];
  const strings: string[] = [];
  let length = 0;
  // The list grows while it is read, so a deep body needs no deep stack.
  for (const part of parts) {
    if (typeof part === 'string') {
      strings.push(part);
      length += part.length;
    } else if (typeof part === 'object' && part !== null) {
      if (Array.isArray(part) && parts.length + part.length > MOST_PARTS) return undefined;
      for (const [name, inner] of Object.entries(part)) parts.push(inner === false ? `not ${name}` : inner);
    }
    if (length > LONGEST_TEXT || parts.length > MOST_PARTS) return undefined;
  }
  return strings;
}

/**
 * Whether a refusal means that the gateway already has this report (our decision: the specification gives no status). A
 * 409, 400, 422 or failed 2xx needs words that say so about this report: its message, or a code such as
 * `DUPLICATE_REPORT`. No other word of the answer may deny it. A status alone proves nothing, since any server between
 * may send it. `sent` returns the sent values, since an operator's own words must not be taken for the gateway's.
 */
export function isDuplicate({ status, body, json }: Answer, sent: () => Sent): 'same' | 'conflict' | false {
  if (!json || (status >= 300 && ![400, 409, 422].includes(status))) return false;
  const strings = stringsOf(body);
  if (strings === undefined || strings.length === 0) return false;
  const { repeated, different, denied } = readRepeated({ status, message: messageOf(body) ?? '', strings }, sent());
  if (!repeated || different === undefined) return false;
  if (different) return 'conflict';
  return !denied && 'same';
}
