import { printable, shownName } from '../core/platform/messages.js';
import type { OperationName } from '../core/protocol/operations.js';
import { decisionsFor } from '../outbox/rules/decisions.js';
import type { Destination, PauseScope } from '../outbox/rules/destination.js';
import type { Decision, Row } from '../outbox/rules/state-machine.js';
import type { KeptDecision, NewDecision, OperatorStore, ProblemKey } from '../outbox/store/operator-store.js';
import { isBetween, isShown, type Narrowing, type OperatorContext, OperatorRefusal } from './context.js';

export interface Who {
  /**
   * An id that the caller makes, a new one for each decision of a person: 16 to 64 letters, digits and `-`, such as a
   * UUID. The same request with the same id is the same decision.
   */
  readonly decision: string;
  /** A name that colleagues recognise, such as a login. At most 200 characters. */
  readonly who: string;
  /**
   * The reason, in the person's words. At most 2,000 characters. It is part of the receipt of a report: write no
   * personal data.
   */
  readonly reason: string;
}

/** At most 500 ids, or a complete group. */
export type Selection = { readonly ids: readonly string[] } | { readonly group: ProblemKey };

/** `--all` of the command line. An absent member matches every report. */
export interface AllQuarantined {
  readonly all: Narrowing & {
    readonly operation?: OperationName | undefined;
    readonly code?: string | undefined;
  };
  readonly except?: readonly string[] | undefined;
}

/** A file with reports, as a decision is about it. */
export interface NamedFile extends Destination {
  /** Absent if each line names its own. */
  readonly operation?: OperationName;
  /** The SHA-256 of the file, in hexadecimal digits. */
  readonly file: string;
}

/** A stored decision. Its reason is empty if a command was given none. */
export interface DecisionRecord
  extends Pick<KeptDecision, 'id' | 'who' | 'reason' | 'at' | 'touched' | 'skipped' | 'done'> {
  /**
   * `'body'`: a body was read. `'erase'`: the bodies of one player were erased. `'resume'`: pauses were ended.
   * `'undo'`: another decision was undone. `'went-back'`: a worker found that the database had lost commits.
   */
  readonly action: Decision['action'] | 'undo' | 'body' | 'erase' | 'resume' | 'went-back';
  readonly about:
    | Selection
    | AllQuarantined
    | { readonly decision: string; readonly except?: readonly string[] | undefined }
    | PauseScope
    | NamedFile
    | (Narrowing & { readonly operation?: undefined });
  /** The id of the decision that has undone it, completely or in part. Null if there is none. */
  readonly undoneBy: string | null;
}

/** It must match all conditions. An absent one matches every decision. */
export interface DecisionFilter {
  readonly id?: string | undefined;
  readonly action?: DecisionRecord['action'] | undefined;
  /** A part of the person's name. Small and capital letters, and accents, make no difference. */
  readonly who?: string | undefined;
  /** It began at this time or later. */
  readonly from?: number | undefined;
  /** It began before this time. */
  readonly to?: number | undefined;
}

export interface DecisionPage {
  readonly decisions: readonly DecisionRecord[];
  /** Null at the end. */
  readonly next: string | null;
  readonly reached: number | null;
  /** Of one decision by its id: whether an undo would change any of its reports now. */
  readonly isUndoable?: boolean;
}

export function recordOf({ number: _, cursor: __, asOf: ___, ...kept }: KeptDecision): DecisionRecord {
  return {
    ...kept,
    action: kept.action as DecisionRecord['action'],
    who: printable(kept.who),
    reason: printable(kept.reason),
    about: shownAbout(kept.about),
    undoneBy: kept.undoneBy ?? null,
  };
}

/** Escapes each text by itself: parsing JSON would undo the escapes. */
const shownAbout = (about: string): DecisionRecord['about'] =>
  JSON.parse(about, (_, value: unknown) =>
    typeof value === 'string' ? shownName(value) : value,
  ) as DecisionRecord['about'];

/** Stores a decision, or continues the same stored one. Refuses a different one with its id. */
export async function storeDecision(
  { operator: store }: OperatorContext,
  { decision: id, who, reason }: Who,
  more: Omit<NewDecision, 'id' | 'who' | 'reason' | 'about'> & { readonly about: object },
): Promise<KeptDecision> {
  const decision = { id, who, reason, ...more, about: JSON.stringify(more.about) };
  const kept = await store.begin(decision);
  const parts = ['action', 'who', 'reason', 'about'] as const;
  if (parts.every((name) => kept[name] === decision[name])) return kept;
  throw new OperatorRefusal(
    'conflict',
    `The id ${id} belongs to another decision. Nothing was done. Use a new id for each decision.`,
  );
}

const PAGE = 50;
/** A page looks at this number of decisions, where most do not match or are not shown. */
const LOOK = 5_000;
const READ_TOGETHER = 500;
/** How far before the searched time it looks: a clock may put decisions out of the order of their times. */
const SLACK_MS = 600_000;

/** The id of a report begins with its account, whose name holds no colon. */
const accountOf = (id: string): string => id.slice(0, id.indexOf(':'));

/** Undefined where it is about accounts that are not shown. */
export async function shownDecision(context: OperatorContext, kept: KeptDecision): Promise<DecisionRecord | undefined> {
  const all = recordOf(kept);
  const shown = (ids: readonly string[]) => ids.filter((id) => isShown(context, accountOf(id)));
  if ('ids' in all.about) {
    const ids = shown(all.about.ids);
    return ids.length > 0 ? { ...all, about: { ids } } : undefined;
  }
  const about = 'except' in all.about ? { ...all.about, except: shown(all.about.except ?? []) } : all.about;
  const record = { ...all, about };
  if ('decision' in about) {
    const undone = await context.operator.decision(about.decision);
    return undone && (await shownDecision(context, undone)) ? record : undefined;
  }
  const { account } = 'group' in about ? about.group : 'all' in about ? about.all : about;
  return account === undefined || isShown(context, account) ? record : undefined;
}

async function isWhollyShown(context: OperatorContext, kept: KeptDecision): Promise<boolean> {
  if (!context.accounts) return true;
  const { about } = recordOf(kept);
  if ('ids' in about) return about.ids.every((id) => isShown(context, accountOf(id)));
  const account = 'group' in about ? about.group.account : 'all' in about ? about.all.account : undefined;
  if (account !== undefined) return isShown(context, account);
  return (await context.store.outlook()).every((known) => isShown(context, known.account));
}

/** Undefined, or the reason why a whole decision cannot be undone. It does not look whether one has undone it. */
export async function whyNotUndoDecision(context: OperatorContext, kept: KeptDecision): Promise<string | undefined> {
  if (kept.action !== 'retry' && kept.action !== 'dismissed')
    return 'Only a retry or a dismissal can be undone: recorded is final.';
  return (await isWhollyShown(context, kept))
    ? undefined
    : 'This decision is also about accounts that are not shown here. Undo it where all accounts are shown.';
}

/**
 * Whether another decision than `but` has undone it. An undo that left out reports by name leaves it open for them, and
 * one that was interrupted is continued: each row is taken back once.
 */
export async function isUndone(
  { operator }: OperatorContext,
  { undoneBy }: KeptDecision,
  but?: string,
): Promise<boolean> {
  if (undoneBy === undefined || undoneBy === but) return false;
  const by = await operator.decision(undoneBy);
  return by === undefined || (by.done && !('except' in recordOf(by).about));
}

/** Whether an undo of a decision would change at least one of its reports. It reads them commit by commit. */
async function canUndo(context: OperatorContext, kept: KeptDecision): Promise<boolean> {
  const { id, action } = kept;
  if ((await isUndone(context, kept)) || (await whyNotUndoDecision(context, kept)) !== undefined) return false;
  for await (const rows of touchedRows(context.operator, id)) {
    // Only a row by its id has its body.
    const read = action === 'retry' ? rows : await context.store.get(rows.map((row) => row.id));
    if (read.some((row) => row?.decisions.at(-1)?.id === id && decisionsFor(row).undo === undefined)) return true;
  }
  return false;
}

/** The rows that a decision has changed, commit by commit, without their bodies. */
export async function* touchedRows(store: OperatorStore, id: string): AsyncGenerator<readonly Row[]> {
  for (let step = await store.touched(id, -1); step; step = await store.touched(id, step.from))
    yield await store.rows(step.sequences);
}

/** A name as people compare it: `Adé` and `ade` are the same. */
const compared = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();

function fits({ action, at, who }: KeptDecision, filter: DecisionFilter): boolean {
  return (
    isBetween(at, filter) &&
    (filter.action ?? action) === action &&
    compared(printable(who)).includes(compared(filter.who ?? ''))
  );
}

/**
 * The newest first. `before`: the `next` of the previous page, with the same filter. A page reads a limited number of
 * decisions, so it may be short and still have a next one.
 */
export async function readDecisions(
  context: OperatorContext,
  filter: DecisionFilter = {},
  before?: string,
): Promise<DecisionPage> {
  const { id, from = Number.NEGATIVE_INFINITY } = filter;
  const decisions: DecisionRecord[] = [];
  if (id !== undefined) {
    const kept = await context.operator.decision(id);
    const record = kept && fits(kept, filter) ? await shownDecision(context, kept) : undefined;
    const isUndoable = kept !== undefined && record !== undefined && (await canUndo(context, kept));
    return { decisions: record ? [record] : [], next: null, reached: null, isUndoable };
  }
  const isNarrow = context.accounts !== undefined || Object.values(filter).some((value) => value !== undefined);
  const together = isNarrow ? READ_TOGETHER : PAGE;
  let reached: number | null = null;
  let cursor = before === undefined ? undefined : Number(before);
  for (let looked = 0; looked < LOOK; looked += together) {
    const found = await context.operator.decisions(cursor, together);
    for (const kept of found) {
      if (kept.at < from - SLACK_MS) return { decisions, next: null, reached: null };
      const record = fits(kept, filter) ? await shownDecision(context, kept) : undefined;
      [cursor, reached] = [kept.number, kept.at];
      if (record) decisions.push(record);
      if (decisions.length === PAGE) return { decisions, next: String(cursor), reached };
    }
    if (found.length < together) return { decisions, next: null, reached: null };
  }
  return { decisions, next: String(cursor), reached };
}
