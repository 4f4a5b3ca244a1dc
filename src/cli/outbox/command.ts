import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createOperator } from '../../operator/operator.js';
import type { OutboxStore } from '../../outbox/store/store.js';
import { type Described, didYouMean, expectNone, type OptionRow, type OptionTable, readWords } from '../args.js';
import { Failure } from '../output.js';
import { serveOutbox } from './console.js';
import { reopen, resolve, retry } from './decide.js';
import { rebind, resume } from './destinations.js';
import { importFile } from './import/command.js';
import { keys } from './keys.js';
import { list } from './list.js';
import { migrate } from './migrate.js';
import { move } from './move.js';
import { commandFor, failAsStore, isAddress, openOutbox } from './open.js';
import { type BeginCommand, OUTBOX_OPTIONS, type OutboxValues, type RunCommand } from './options.js';
import { player } from './player.js';
import { prune } from './prune.js';
import { exportLog, verifyFile, verifyLog } from './receipt-log.js';
import { reconcileList } from './reconcile.js';
import { replace } from './replace/command.js';
import { show } from './show.js';
import { stats } from './stats.js';

type OptionName = keyof OutboxValues;

interface OutboxCommand {
  readonly summary: string;
  readonly notes?: string;
  readonly takes: readonly OptionName[];
  readonly needs?: readonly OptionName[];
  /** The words after the command. Without it, there are none. In `usage`, `…` ends one that may be repeated. */
  readonly words?: { readonly usage: string; readonly needs: string };
  readonly run?: RunCommand;
  readonly begin?: BeginCommand;
}

const NARROWING = ['account', 'environment', 'operation'] as const satisfies readonly OptionName[];
const MOST_REPORTS = 1_000;
const REPORTS = { usage: '<report>…', needs: 'a report: its id, as list prints it' };

const A_REPORT = `A <report> is an id, as list prints it, or a bet_id or request_id, if the
command fits only one of its reports. A backslash is printed and typed as \\\\,
and an invisible character by its code, as \\u200b.
Reports of several accounts or environments need --account or --environment.`;
const ALL = `--all counts the reports first, and asks; without a terminal, it needs --yes.
With --except, it is about all but the reports that are named.`;
const NO_ACCOUNT = 'Without --account, it is about the account default.';

export const OUTBOX_COMMANDS: Readonly<Record<string, OutboxCommand>> = {
  stats: { summary: 'Print the number of reports in each state, and the pauses', takes: ['account'], run: stats },
  keys: {
    summary: 'Print which encryption keys are needed, and which can be retired',
    notes: 'It counts the open and the kept reports of each key, and reads all reports.',
    takes: [],
    run: keys,
  },
  list: {
    summary: 'List open reports, or those in a state, quarantined ones first',
    notes: `States: waiting, blocked, in-flight, quarantined, recorded, dismissed. With
--decision, it lists the reports of a decision in every state.`,
    takes: ['state', 'code', 'since', 'until', 'decision', ...NARROWING, 'limit'],
    run: list,
  },
  show: {
    summary: 'Print one report, and the commands to decide about it',
    notes: A_REPORT,
    takes: NARROWING,
    words: { usage: '<report>', needs: 'one report: its id, as list prints it' },
    run: show,
  },
  retry: {
    summary: 'Send quarantined reports again, or waiting ones now',
    notes: `${ALL}
${A_REPORT}`,
    takes: ['all', 'except', 'yes', 'code', ...NARROWING, 'reason'],
    words: REPORTS,
    run: retry,
  },
  resolve: {
    summary: 'Decide about quarantined reports, and those whose key is lost',
    notes: `${ALL}
--from is a list that proves that the gateway has its reports: a log with the
lines of onReceipt, or a list of the authority, as for reconcile. It needs
--environment and --as recorded, and ends the open breakers of their operations.
${A_REPORT}`,
    takes: [
      'all',
      'from',
      'last-line-complete',
      'except',
      'yes',
      'code',
      ...NARROWING,
      'as',
      'reason',
      'keep-body',
      'with-settlement',
    ],
    needs: ['as', 'reason'],
    words: REPORTS,
    run: resolve,
  },
  replace: {
    summary: 'Send corrected data under the reference of a refused report',
    notes: `The file has the corrected data as JSON, with the timestamp of the event;
- is standard input. It works only while it is certain that the gateway
has recorded nothing: after a refusal, and for a report that was never sent. A
settlement is named by its id or with --operation. It needs the options of your
client, and of your outbox if that encrypts.
For many reports, give --from and --environment, and no <report>. The file is
CSV or NDJSON, as for import. Without --operation, each line names its own, as
list --json does. Settlements are replaced first, in any order of the lines.
Without a location, the stored one stays. The command checks every line first,
and lists those that it does not take in <file>.rejected.csv. At the end it ends
open breakers of these operations. After an interruption, run it again.
${A_REPORT}`,
    takes: [...NARROWING, 'reason', 'options', 'from', 'map', 'dry-run', 'skip-rejected', 'last-line-complete'],
    needs: ['reason'],
    words: {
      usage: '<report> <file.json>',
      needs: 'a report and a file with the corrected data as JSON, or - for standard input',
    },
    run: replace,
  },
  reopen: {
    summary: 'Take back the dismissal of reports, or a whole decision',
    notes: `A report is as before, and so is the settlement that was dismissed with it.
--decision takes back a dismissal, or a retry of reports that no worker has
claimed since. With --except, the reports that are named stay as they are, and
a later --decision can take them back.
${A_REPORT}`,
    takes: [...NARROWING, 'decision', 'except', 'reason'],
    needs: ['reason'],
    words: REPORTS,
    run: reopen,
  },
  resume: {
    summary: 'End pauses now, for example after you corrected the key',
    takes: [...NARROWING, 'reason'],
    run: resume,
  },
  rebind: {
    summary: "Send the reports of an account's environment to another gateway",
    notes: `End every instance first: waiting reports go there, too.
${NO_ACCOUNT}`,
    takes: ['account', 'environment', 'gateway', 'reason'],
    needs: ['environment', 'gateway', 'reason'],
    run: rebind,
  },
  reconcile: {
    summary: 'Print the references of your list that are not recorded',
    notes: `The list is a file with one bet_id or request_id per line, or CSV with a column
bet_id, request_id or reference; - is standard input. With a column operation,
each line names its own, and --operation is not needed. It may also be an
exported log of receipts, or a log with the lines of onReceipt. A report that a
person declared recorded is printed, too.
${NO_ACCOUNT}`,
    takes: [...NARROWING, 'settlements', 'day', 'csv', 'last-line-complete'],
    needs: ['environment'],
    words: { usage: '<list>', needs: 'a file with one reference per line, or -' },
    run: reconcileList,
  },
  import: {
    summary: 'Enqueue the reports of a file, CSV or NDJSON',
    notes: `--account, --environment and --operation are those of the new reports (default:
the account default). It checks every line first, and lists wrong lines in
<file>.rejected.csv. It creates a missing SQLite file. After an interruption,
run the same command again: no report is enqueued twice. Running workers send
the reports.`,
    takes: [...NARROWING, 'map', 'options', 'dry-run', 'skip-rejected', 'last-line-complete'],
    needs: ['operation'],
    words: { usage: '<file>', needs: 'one file, such as bets.csv' },
    begin: importFile,
  },
  export: { summary: 'Print the log of receipts as JSON Lines', takes: ['from'], run: exportLog },
  prune: {
    summary: 'Delete old final reports, in small steps beside running workers',
    notes: `A deleted report no longer protects against reporting its reference twice.
After an interruption, run the same command again.`,
    takes: ['account', 'older-than', 'keep-receipts'],
    needs: ['older-than', 'keep-receipts'],
    run: prune,
  },
  player: {
    summary: 'Print what is stored of one player, and erase it',
    notes: `<player> is the id that the reports have as user_id or userId. The command opens
every stored body, and needs the keys of encrypted ones: --options. --erase
needs --reason. It erases the bodies of final reports, and of final withdrawals
also the location and the player's id. Receipts stay, and so do bodies that are
still to be sent. After an interruption, run the same command again.`,
    takes: ['account', 'environment', 'erase', 'reason', 'options'],
    words: { usage: '<player>', needs: 'the id of one player' },
    run: player,
  },
  migrate: {
    summary: 'Make the tables in PostgreSQL, as their owner',
    notes: `It needs pg, and changes nothing if the tables are there. It prints the GRANT
statements for the role of your processes.`,
    takes: [],
    begin: migrate,
  },
  move: {
    summary: 'Move everything to PostgreSQL',
    notes: `It needs pg. End every instance first, and use postgresStore afterwards.
If PostgreSQL refuses a report, the command names it and moves nothing. If the
connection breaks at the end, run the same command again: it moves once.`,
    takes: ['to', 'schema'],
    begin: move,
  },
  console: {
    summary: 'Serve a page for all of this, on this machine only',
    notes: 'It prints an address that lets one browser in, once. Ctrl+C ends it.',
    takes: ['port', 'read-only'],
    run: serveOutbox,
  },
  verify: { summary: 'Check the log of receipts; <file> may be an exported log', takes: ['head'], run: verifyLog },
};

const commandOf = (name: string | undefined): OutboxCommand | undefined =>
  name !== undefined && Object.hasOwn(OUTBOX_COMMANDS, name) ? OUTBOX_COMMANDS[name] : undefined;

const pick = (names: readonly OptionName[]): OptionTable =>
  Object.fromEntries(names.map((name) => [name, OUTBOX_OPTIONS[name]]));

export function describeOutbox(words: readonly string[]): Described {
  const name = words.find((word) => commandOf(word));
  const command = commandOf(name);
  if (!command)
    return {
      summary: 'Inspect an outbox, and decide about reports that need a person',
      usage: 'outbox <file> [command] [options]',
      commands: Object.entries(OUTBOX_COMMANDS).map(([known, { summary }]) => [known, summary]),
      options: pick(['json', 'schema']),
      notes: `Without a command, it is stats. For the options of a command:
location-sdk outbox <command> --help

Workers may run. No body and no personal data is printed; console shows a body
if you ask for it.

<file> may also be an address postgres://…; that needs pg. Put the password
into PGPASSWORD.

Exit code 0: done. 1: it could not be done, or not for every line, verify found
a break, or reconcile found a report that is not recorded. 2: the call is wrong,
or the file or the tables cannot be used; then nothing is changed.`,
    };
  const { summary, notes, takes, needs = [], words: more } = command;
  const needed = new Intl.ListFormat('en').format(needs.map((option) => `--${option}`));
  return {
    summary,
    usage: `outbox <file> ${name}${more ? ` ${more.usage}` : ''} [options]`,
    options: pick([...new Set<OptionName>([...takes, 'json', 'schema'])]),
    notes: [needed && `It needs ${needed}.`, notes].filter(Boolean).join('\n'),
  };
}

/** Reads a call before any file is opened. */
export function readOutboxCall(words: readonly string[]) {
  const { values, given } = readWords(OUTBOX_OPTIONS, words, MOST_REPORTS + 2);
  const [file, name = 'stats', ...more] = given;
  if (file === undefined) throw new Failure('the file is missing: location-sdk outbox <file> [command]; see --help');
  if (commandOf(file) && !isThere(file)) throw new Failure(`the file comes first: location-sdk outbox <file> ${file}`);
  const command = commandOf(name);
  const known = Object.keys(OUTBOX_COMMANDS);
  if (!command)
    throw new Failure(`unknown command ${name}${didYouMean(name, known)}; known are ${known.join(', ')}; see --help`);
  const { takes, needs = [], words: follow } = command;
  const fits = (option: string) =>
    option === 'json' || (option === 'schema' && isAddress(file)) || takes.some((one) => one === option);
  const problems = Object.keys(values).flatMap((option) =>
    fits(option) ? [] : [`--${option} does not go with ${name}`],
  );
  for (const option of needs)
    if (values[option] === undefined && !(option === 'reason' && values['dry-run'])) {
      const { hint, help }: OptionRow = OUTBOX_OPTIONS[option];
      problems.push(`${name} needs --${option}${hint ? ` ${hint}` : ''} (${help})`);
    }
  /** The option that selects reports in place of their names. */
  const selector =
    (values.all && '--all') ||
    (values.from !== undefined && '--from') ||
    (values.decision !== undefined && '--decision');
  const least = follow?.usage.split(' ').length ?? 0;
  const most = follow?.usage.endsWith('…') ? MOST_REPORTS : least;
  if (!follow) problems.push(...more.map((word) => `unexpected word '${word}'`));
  else if (more.length > most || (more.length < least && !selector)) problems.push(`${name} needs ${follow.needs}`);
  if (selector && more.length > 0 && !values.except)
    problems.push(`${selector} goes without names of reports${selector === '--from' ? '' : ', or with --except'}`);
  if (values.except && !(selector && more.length > 0))
    problems.push('--except goes with --all or --decision, and names of reports');
  if (name === 'replace' && values['dry-run'] && values.from === undefined) problems.push('--dry-run goes with --from');
  // To open and close a database here would release the locks of its user in this process.
  const read = { reconcile: more[0], replace: values.from ?? more[1], resolve: values.from }[name];
  if (read !== undefined && isThere(`${read}-wal`))
    problems.push(`${read} is a database in use; ${name} needs ${follow?.needs}`);
  expectNone(problems);
  return { file, name, command, values, more };
}

export async function outbox(words: readonly string[]): Promise<number> {
  const { file, name, command, values, more } = readOutboxCall(words);
  if (name === 'verify' && beginsWithBrace(file)) return verifyFile(file, values);
  try {
    if (command.begin) return await command.begin(file, values, more);
    const store = await openOutbox(file, values.schema);
    try {
      await expectAccount(store, values.account);
      const typed = commandFor(file, values.schema);
      const operator = createOperator({ over: store, command: typed, keepBodies: values['keep-body'] ?? false });
      const opened = { store, operator, command: typed, now: Date.now() };
      return (await command.run?.(opened, values, more)) ?? 0;
    } finally {
      await store.close?.();
    }
  } catch (error) {
    return failAsStore(error);
  }
}

/** An empty outbox knows no account, and every number of it is 0. */
async function expectAccount(store: OutboxStore, account: string | undefined): Promise<void> {
  if (account === undefined) return;
  const known = [...new Set((await store.outlook()).map((one) => one.account))].sort();
  if (known.length === 0 || known.includes(account)) return;
  throw new Failure(
    `this outbox has no account ${account}${didYouMean(account, known)}; known are ${known.join(', ')}. Nothing was changed`,
  );
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

/**
 * Whether a file is an exported log and not a database. A database in use has a -wal file, and only SQLite may open it.
 */
function beginsWithBrace(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile() || isThere(`${file}-wal`)) return false;
  const start = Buffer.alloc(1);
  const descriptor = openSync(file, 'r');
  try {
    return readSync(descriptor, start) === 1 && start.toString() === '{';
  } finally {
    closeSync(descriptor);
  }
}
