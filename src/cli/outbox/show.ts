import { CORRECTED_DATA } from '../../outbox/error-of.js';
import type { OutboxStats } from '../../outbox/interface.js';
import { meaningOf } from '../../outbox/operator/meaning.js';
import { openSettlementOf } from '../../outbox/operator/settlement.js';
import { toPublicPauses, toPublicReport } from '../../outbox/public-report.js';
import type { Row } from '../../outbox/state-machine.js';
import { EXIT, printable, say } from '../output.js';
import { findReports } from './find.js';
import type { OutboxValues } from './options.js';
import { duration, quoted, time, type View, wrapped } from './printable.js';

const INDENT = ' '.repeat(14);

/** Prints everything about a report except its body. */
export async function show(view: View, { account, environment, operation, json }: OutboxValues, [name = '']: readonly string[]): Promise<number> {
  const rows = await findReports(view, name, { account, environment, operation });
  const paused = toPublicPauses(await view.store.outlook());
  const texts: string[] = [];
  for (const row of rows) {
    if (json) texts.push(JSON.stringify({ ...toPublicReport(row), fingerprint: row.fingerprint }));
    else texts.push(described(row, row.state === 'quarantined' ? await openSettlementOf(view.store, row) : undefined, paused, view));
  }
  say(texts.join(json ? '\n' : '\n\n'));
  return EXIT.done;
}

function described(row: Row, settlement: Row | undefined, paused: OutboxStats['paused'], view: View): string {
  const { id, state, blocked, attempts, inDoubt, enqueuedAt, changedAt, dueAt, outcome, message, requestId, problem, decisions, waitsFor, fingerprint } = row;
  const lines: [string, string][] = [
    ['state', `${blocked ? 'blocked' : state}, for ${duration(view.now - changedAt)} (since ${time(changedAt)})`],
    ['means', meaningOf(row, paused, view.now)],
    ['enqueued', time(enqueuedAt)],
    ['attempts', `${attempts}${inDoubt ? '; in doubt: the gateway may have it' : ''}`],
  ];
  if (blocked && waitsFor !== undefined) lines.push(['waits for', printable(waitsFor)]);
  if (state === 'waiting' && !blocked && dueAt > view.now) lines.push(['next try', time(dueAt)]);
  if (outcome !== undefined) lines.push(['outcome', outcome]);
  if (message !== undefined) lines.push(['gateway', printable(message)]);
  if (requestId !== undefined) lines.push(['request', printable(requestId)]);
  if (problem) {
    const status = problem.status === undefined ? '' : ` (HTTP ${problem.status})`;
    lines.push(['problem', `${problem.code}${status}${problem.conflict ? ': the gateway holds other data' : ''}`], ['', printable(problem.message)]);
    if (problem.requestId !== undefined) lines.push(['request', printable(problem.requestId)]);
    if (problem.details !== undefined) lines.push(['answer', printable(JSON.stringify(problem.details))]);
  }
  for (const { action, reason, at, by, undone } of decisions) {
    lines.push(['decided', `${action}, ${time(at)}${by === undefined ? '' : `, by ${printable(by)}`}${reason ? `: ${printable(reason)}` : ''}`]);
    if (undone) lines.push(['undone', `${time(undone.at)}, by ${printable(undone.by)}: ${printable(undone.reason)}`]);
  }
  lines.push(['body', bodyOf(row)], ['fingerprint', printable(fingerprint)]);
  const text = lines.map(([label, value]) => `  ${label.padEnd(INDENT.length - 2)}${wrapped(value, INDENT)}`.trimEnd()).join('\n');
  return [printable(id), text, ...(state === 'quarantined' ? ['', whatToDo(id, settlement, view.command)] : [])].join('\n');
}

function bodyOf({ body }: Row): string {
  if (body === undefined) return 'no longer kept; the fingerprint is kept';
  const [kind, keyId] = body.split('.', 2);
  return kind === 'sealed1' ? `kept, encrypted with the key ${printable(keyId ?? '')}` : 'kept, not encrypted by the outbox';
}

function whatToDo(id: string, settlement: Row | undefined, command: string): string {
  const name = quoted(id);
  return [
    '  First find out whether the gateway has it, and with which data. Then:',
    '  - the gateway was corrected, and may accept the same bytes now:',
    `      ${command} retry ${name} --reason "…"`,
    '  - the gateway has it with the same data:',
    `      ${command} resolve ${name} --as recorded --reason "…"`,
    '  - it must not be reported:',
    `      ${command} resolve ${name} --as dismissed --reason "…"`,
    ...(settlement?.blocked
      ? [
          `    Its settlement ${printable(settlement.id)} is then sent, and a gateway`,
          '    that does not have the initiated report refuses it (404). To dismiss both:',
          `      ${command} resolve ${name} --as dismissed --with-settlement --reason "…"`,
        ]
      : []),
    `  ${wrapped(CORRECTED_DATA, '  ')}`,
  ].join('\n');
}
