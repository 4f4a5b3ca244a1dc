import { stat } from 'node:fs/promises';
import { hasCode } from '../../core/errors/errors.js';
import { inBatches } from '../../core/platform/in-batches.js';
import { ELSEWHERE } from '../../core/platform/proof.js';
import type { OperationName } from '../../core/protocol/operations.js';
import { DECIDED_TOGETHER } from '../../outbox/decisions/decide-rows.js';
import { type ReportReference, readReference } from '../../outbox/receipts/reconcile.js';
import { decided } from '../../outbox/rules/decisions.js';
import { DEFAULT_ACCOUNT } from '../../outbox/rules/destination.js';
import { confirm, EXIT, Failure, remark } from '../output.js';
import { createReferences } from './import/check.js';
import { needed, type RunCommand } from './options.js';
import { newDecision } from './person.js';
import { printDecided } from './print-decided.js';
import { namesNone, openList, unreadNote } from './reconcile.js';
import { grouped, quarantinedNote, reports } from './text.js';

/**
 * Resolves the open reports of a list as recorded: the list proves that the gateway holds them, also those that it has
 * refused before.
 */
export const resolveFile: RunCommand = async ({ store, operator, command }, values) => {
  const { account = DEFAULT_ACCOUNT, operation, json, all, code } = values;
  const path = needed(values, 'from');
  const environment = needed(values, 'environment');
  if (values.as !== 'recorded') throw new Failure('--from goes with --as recorded');
  if (all || code !== undefined) throw new Failure('--from goes without --all and --code');
  // A pipe ends after the first time. A missing file has its own words.
  const isFile =
    path !== '-' &&
    (await stat(path)
      .then((found) => found.isFile())
      .catch(() => true));
  if (!isFile) throw new Failure('--from must be a file: the command reads it twice, first to count its reports');
  const list = () => openList(path, values, { account, environment });
  const isMeant = (one: ReportReference) => operation === undefined || one.operation === operation;

  function idOf(one: ReportReference): string {
    try {
      return readReference(one, { operation, environment }, { method: 'resolve', account }).id;
    } catch (error) {
      throw hasCode(error, 'validation') ? new Failure(`${path}: ${error.message}`) : error;
    }
  }

  /** The first reports of a list. A report that was recorded again after the failover has two lines. */
  async function* pages(from: ReturnType<typeof list>, most = Number.POSITIVE_INFINITY) {
    const isNew = createReferences();
    let read = 0;
    for await (const references of inBatches(from.references(), DECIDED_TOGETHER)) {
      const ids = references
        .slice(0, most - read)
        .filter(isMeant)
        .map(idOf)
        .filter(isNew);
      read += references.length;
      const rows = await store.get(ids);
      yield { rows: rows.flatMap((row) => row ?? []), missing: rows.filter((row) => !row).length, read };
      if (read >= most) return;
    }
  }

  const found = list();
  const open = new Map<OperationName, number>();
  let [recorded, missing, listed] = [0, 0, 0];
  for await (const page of pages(found)) {
    missing += page.missing;
    listed = page.read;
    for (const { state, operation: name } of page.rows)
      if (state === 'recorded') recorded += 1;
      else open.set(name, (open.get(name) ?? 0) + 1);
  }
  const count = [...open.values()].reduce((sum, many) => sum + many, 0);
  if (count + recorded + missing === 0) throw new Failure(namesNone(path, found.unread));
  const kinds = [...open].map(([name, many]) => `${grouped(many)} × ${name}`).join(', ');
  if (count > 0 && !values.yes)
    await confirm(
      `resolve --from is about ${reports(count)}: ${kinds}; recorded is final, and they are not sent again`,
    );
  if (count > 0 && !(await found.isUnchanged().catch(() => false)))
    throw new Failure(`${path} was changed while the command read it. Nothing was changed: run the command again`);

  let [done, refused, quarantined] = [0, 0, 0];
  if (count > 0) {
    // A log that has grown since must not decide more than was counted and hashed.
    const all = pages(list(), listed);
    const { decision, ...by } = newDecision(needed(values, 'reason'));
    quarantined = await operator.decideFile({
      ...by,
      decision,
      action: 'recorded',
      about: { file: found.sha256(), account, environment },
      operations: [...open.keys()],
      async next(from, made) {
        const page = await all.next();
        if (page.done) return { planned: [], to: from + 1, done: true };
        const rows = page.value.rows.filter(({ state }) => state !== 'recorded');
        const planned = rows.map((row) => ({ row, change: decided(row, made, values['keep-body'] === true) }));
        return { planned, to: from + 1, done: false };
      },
      tell(results) {
        for (const result of results)
          if (printDecided('resolve', result, 'is resolved as recorded', json)) done += 1;
          else refused += 1;
      },
    });
  }
  if (!json) {
    remark(`\nDecided: ${grouped(done)} of ${reports(count)}. ${grouped(recorded)} were recorded already.`);
    if (missing > 0) remark(`The outbox does not have ${reports(missing)} of the list; reconcile names them.`);
    if (found.elsewhere() > 0) remark(`${ELSEWHERE}: ${grouped(found.elsewhere())}`);
    if (found.unread.length > 0) remark(unreadNote(path, found.unread));
    if (quarantined > 0) remark(quarantinedNote(quarantined, command));
  }
  return refused + missing + found.unread.length > 0 ? EXIT.failed : EXIT.done;
};
