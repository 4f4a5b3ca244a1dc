import { quoted } from '../../core/platform/messages.js';
import type { OfferedAction, ReportDetails } from '../../operator/report-details.js';
import { CORRECTED_DATA } from '../../outbox/rules/advice.js';
import { readWentBack } from '../../outbox/sending/restored-database.js';
import { toPublicReport } from '../../outbox/store/public-report.js';
import { EXIT, say } from '../output.js';
import { findReports } from './find.js';
import type { OpenedOutbox, RunCommand } from './options.js';
import { duration, time, wrapped } from './text.js';

/** A report that is as it was before: someone may have mended it in the lost commits. */
const LOST =
  'the gateway may hold it since. First follow the guide for a failover (On call): resolve --from receipts.log.';
const INDENT = ' '.repeat(14);

export const show: RunCommand = async (opened, values, [name = '']) => {
  const { json } = values;
  const texts: string[] = [];
  const wentBackAt = await readWentBack(opened.store.operator);
  for (const row of await findReports(opened, name, values)) {
    if (json) texts.push(JSON.stringify({ ...toPublicReport(row), fingerprint: row.fingerprint }));
    else {
      const report = await opened.operator.report(row.id);
      if (report) texts.push(described(report, opened, wentBackAt));
    }
  }
  say(texts.join(json ? '\n' : '\n\n'));
  return EXIT.done;
};

function described(report: ReportDetails, { command, now }: OpenedOutbox, wentBackAt = 0): string {
  const { id, state, attempts, inDoubt, changedAt, dueAt, problem, body, timeline } = report;
  const isOlder = (state === 'quarantined' || state === 'dismissed') && changedAt <= wentBackAt;
  const lines: [label: string, value: string | null][] = [
    ['state', `${state}, for ${duration(now - changedAt)} (since ${time(changedAt)})`],
    ['means', report.means],
    ['', isOlder ? `The database had lost commits at ${time(wentBackAt)}: ${LOST}` : null],
    ['enqueued', time(report.enqueuedAt)],
    ['attempts', `${attempts}${inDoubt ? '; in doubt: the gateway may have it' : ''}`],
    ['waits for', report.waitsFor],
    ['next try', dueAt !== null && dueAt > now ? time(dueAt) : null],
    ['outcome', report.outcome],
    ['gateway', report.message],
    ['request', report.requestId],
  ];
  if (problem) {
    const { at = null } = [...timeline].reverse().find((one) => one.kind === 'attempt') ?? {};
    const status = problem.status === null ? '' : ` (HTTP ${problem.status})`;
    lines.push(
      ['problem', `${problem.code}${status}${problem.code === 'conflict' ? ': the gateway holds other data' : ''}`],
      ['', problem.message],
      ['at', at === null ? null : time(at)],
      ['request', problem.requestId],
      ['answer', problem.details],
    );
  }
  for (const event of timeline) {
    if (event.kind !== 'decided') continue;
    const { action, at, who, reason, file, undone } = event;
    lines.push(['decided', `${action}, ${time(at)}${who === null ? '' : `, by ${who}`}${reason ? `: ${reason}` : ''}`]);
    if (file !== null) lines.push(['', `from the file with the SHA-256 ${file}`]);
    if (undone) lines.push(['undone', `${time(undone.at)}, by ${undone.who}: ${undone.reason}`]);
  }
  lines.push(['body', bodyOf(body)], ['hash', report.fingerprint]);
  const text = lines.flatMap(([label, value]) =>
    value === null ? [] : [`  ${label.padEnd(INDENT.length - 2)}${wrapped(value, INDENT)}`.trimEnd()],
  );
  return [id, ...text, ...whatToDo(report, command, isOlder)].join('\n');
}

function bodyOf({ kept, keyId, erased }: ReportDetails['body']): string {
  if (erased) return `erased, ${time(erased.at)}, by ${erased.who}: ${erased.reason}; its hash is kept`;
  if (!kept) return 'no longer kept; its hash is kept';
  return keyId === null ? 'kept, not encrypted by the outbox' : `kept, encrypted with the key ${keyId}`;
}

const WHEN: Readonly<Record<OfferedAction['action'], string>> = {
  retry: 'to send the same bytes now, for example after the gateway was corrected:',
  recorded: 'the gateway has it with the same data:',
  replaced: 'its data is wrong; with a file of the corrected data:',
  dismissed: 'it must not be reported:',
  reopened: 'it was dismissed by mistake:',
  undo: 'to take back that decision about all of its reports:',
};

/** The commands that a person may need now. Only a quarantined report waits for one of them. */
function whatToDo({ id, state, sibling, actions }: ReportDetails, command: string, isOlder: boolean): string[] {
  const isQuarantined = state === 'quarantined';
  const blocksSettlement = actions.some(({ warning }) => warning !== null);
  const offered = actions.filter(({ action }) => isQuarantined || !['retry', 'recorded', 'dismissed'].includes(action));
  const ofSettlement: Partial<Record<OfferedAction['action'], string[]>> = {
    replaced: [
      `    Its settlement ${sibling?.id} is then sent as it is.`,
      '    If it is wrong, too, replace it first.',
    ],
    dismissed: [
      `    Its settlement ${sibling?.id} is then sent, and a gateway`,
      '    that does not have the initiated report refuses it (404). To dismiss both:',
      `      ${command} resolve ${quoted(id)} --as dismissed --with-settlement --reason "…"`,
    ],
  };
  const lines = offered.flatMap(({ action, command: line }) => [
    `  - ${WHEN[action]}`,
    `      ${line}`,
    ...((blocksSettlement && ofSettlement[action]) || []),
  ]);
  if (lines.length === 0) return [];
  if (!isQuarantined) return ['', ...lines];
  const isOffered = (wanted: OfferedAction['action']) => actions.some(({ action }) => action === wanted);
  return [
    '',
    isOlder || isOffered('recorded')
      ? '  First find out whether the gateway has it, and with which data. Then:'
      : '  The gateway refused it and does not have it. Choose one:',
    ...lines,
    ...(isOffered('replaced') ? [] : [`  ${wrapped(CORRECTED_DATA, '  ')}`]),
  ];
}
