import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { OutboxStore } from '../../outbox/store.js';
import { PostgresStoreError } from '../../outbox/stores/postgres/failure.js';
import { SqliteStoreError } from '../../outbox/stores/sqlite/failure.js';
import { didYouMean, readWords } from '../args.js';
import { EXIT, Failure } from '../output.js';
import { abandon } from './abandon.js';
import { serveOutbox } from './console.js';
import { resolve, retry } from './decide.js';
import { exportLog } from './export.js';
import { importFile } from './import/command.js';
import { keys } from './keys.js';
import { list } from './list.js';
import { move } from './move.js';
import { openOutboxFile } from './open.js';
import { OUTBOX_OPTIONS, type OutboxValues } from './options.js';
import { quoted, type View } from './printable.js';
import { prune } from './prune.js';
import { rebind } from './rebind.js';
import { reconcileList } from './reconcile.js';
import { resume } from './resume.js';
import { DEFAULT_SCHEMA, isAddress, openOutboxServer, readSchema, serverCommand } from './server.js';
import { show } from './show.js';
import { stats } from './stats.js';
import { verifyFile, verifyLog } from './verify.js';

export const OUTBOX_NOTES = `Commands (default: stats):
  stats               The number of reports in each state, and the pauses
  keys                How many open and kept reports need each encryption key,
                      and which keys can be retired. Reads all reports
  list                Reports that are not recorded, quarantined ones first
  show <report>       One report, and the commands to decide about it
  retry <report>…     Send quarantined reports again, or waiting ones now
  resolve <report>…   Your verdict on quarantined reports; needs --as, --reason.
                      recorded: the gateway has it. dismissed: never send it;
                      --with-settlement dismisses its blocked settlement, too
  resume              End pauses now, for example after you corrected the key
  rebind              Send the reports of an account's environment to another
                      gateway; needs --environment, --gateway, --reason. End
                      every instance first: waiting reports go there, too
  reconcile <list>    Print the references of your list that are not recorded.
                      The list is a file, or - for standard input, with one
                      bet_id or request_id per line; needs --operation,
                      --environment
  import <file>       Enqueue the reports of a file, CSV or NDJSON; needs
                      --operation. It checks every line first, and lists wrong
                      lines in <file>.rejected.csv. It creates a missing SQLite
                      file. After an interruption, run the same command again:
                      no report is enqueued twice. --rate limits the enqueued
                      reports per second; running workers send them
  export              Print the log of receipts as JSON Lines
  prune               Delete old final reports, in small steps beside running
                      workers; needs --older-than, --keep-receipts. A deleted
                      report no longer protects against reporting its reference
                      twice. After an interruption, run the same command again
  move                Move everything to PostgreSQL, with --to; needs pg. End
                      every instance first, and use postgresStore afterwards.
                      It names the reports that PostgreSQL refuses, and stops;
                      --skip-rejected leaves those that are final in the file.
                      With the path of a new file as --to, it saves what can be
                      read of a damaged file there, and lists what cannot.
                      If the result is unknown, no store opens the file: run
                      the same move again to finish it. Or release the file
                      with move --abandon --to …, which checks that it did not
                      arrive. If that server is gone for ever, give --gone and
                      the place in the error instead of --to; but only if no
                      outbox ever ran there, since two would send reports twice
  console             Serve a page for all of this, on this machine only. It
                      prints an address that lets one browser in, once. Ctrl+C
                      ends it
  verify              Check the log of receipts; <file> may be an exported log

A <report> is an id, as list prints it. It may also be a bet_id or request_id,
if the command fits only one of the reports that have it. --account,
--environment and --operation narrow every command, except console, export,
verify and move, which are about a whole log or file. rebind takes no
--operation, and prune takes only --account. For import, they are the account,
the environment and the operation of the new reports. Without --account,
reconcile, rebind and import use the account default.
Workers may run at the same time. No body and no personal data is printed.

<file> may also be an address postgres://…, for an outbox in PostgreSQL; that
needs pg. Put the password into the variable PGPASSWORD.

Exit code 0: done. 1: it could not be done, verify found a break, or reconcile
found a report that is not recorded. 2: the call is wrong, or the file cannot be
used; then the file is not changed.`;

type Run = (view: View, options: OutboxValues, reports: readonly string[]) => Promise<number>;
/** A command that opens its outbox itself. */
type Begin = (place: string, options: OutboxValues, reports: readonly string[]) => Promise<number>;

const NARROWING = ['account', 'environment', 'operation'] as const satisfies readonly (keyof OutboxValues)[];

type OutboxCommand = ({ readonly run: Run } | { readonly begin: Begin }) & {
  readonly takes: readonly (keyof OutboxValues)[];
  readonly reports?: 'one' | 'many' | 'list' | 'file';
};

const COMMANDS: Readonly<Record<string, OutboxCommand>> = {
  stats: { run: stats, takes: NARROWING },
  keys: { run: keys, takes: NARROWING },
  list: { run: list, takes: ['state', ...NARROWING, 'limit', 'after'] },
  show: { run: show, takes: NARROWING, reports: 'one' },
  retry: { run: retry, takes: ['all', 'code', ...NARROWING, 'reason'], reports: 'many' },
  resolve: { run: resolve, takes: ['all', 'code', ...NARROWING, 'as', 'reason', 'keep-body', 'with-settlement'], reports: 'many' },
  resume: { run: resume, takes: NARROWING },
  rebind: { run: rebind, takes: ['account', 'environment', 'gateway', 'reason'] },
  reconcile: { run: reconcileList, takes: NARROWING, reports: 'list' },
  export: { run: exportLog, takes: ['from'] },
  prune: { run: prune, takes: ['account', 'older-than', 'keep-receipts'] },
  console: { run: serveOutbox, takes: ['port', 'read-only'] },
  verify: { run: verifyLog, takes: ['head'] },
  import: {
    begin: importFile,
    takes: ['account', 'environment', 'operation', 'map', 'options', 'dry-run', 'skip-rejected', 'rate'],
    reports: 'file',
  },
  move: { begin: (file, values) => (values.abandon ? abandon(file, values) : move(file, values)), takes: ['to', 'schema', 'skip-rejected', 'abandon', 'gone'] },
};

const MOST_REPORTS = 1_000;

/** Reads a call before any file is opened. Throws a `Failure` for a wrong call. */
export function readOutboxCall(words: readonly string[]) {
  const { values, given } = readWords(OUTBOX_OPTIONS, words, MOST_REPORTS + 2);
  const [file, name = 'stats', ...reports] = given;
  if (file === undefined) throw new Failure('the file is missing: location-sdk outbox <file> [command]; see --help');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (Object.hasOwn(COMMANDS, file) && !isThere(file)) throw new Failure(`the file comes first: location-sdk outbox <file> ${file}`);
  if (!command)
    throw new Failure(`unknown command ${name}${didYouMean(name, Object.keys(COMMANDS))}; known are ${Object.keys(COMMANDS).join(', ')}; see --help`);
  for (const option of Object.keys(values) as (keyof OutboxValues)[])
    if (option !== 'json' && !command.takes.includes(option) && !(option === 'schema' && isAddress(file)))
      throw new Failure(`--${option} does not go with ${name}; see --help`);
  if (!command.reports && reports.length > 0) throw new Failure(`unexpected word '${reports[0]}'; see --help`);
  if (command.reports === 'one' && reports.length !== 1) throw new Failure(`${name} needs one report: its id, as list prints it`);
  if (command.reports === 'list' && reports.length !== 1) throw new Failure(`${name} needs a file with one reference per line, or -`);
  if (command.reports === 'list' && isThere(`${reports[0]}-wal`))
    throw new Failure(`${reports[0]} is a database in use; ${name} needs a file with one reference per line`);
  if (command.reports === 'file' && reports.length !== 1) throw new Failure(`${name} needs one file, such as bets.csv`);
  if (command.reports === 'many' && reports.length === 0 && !values.all) throw new Failure(`${name} needs a report: its id, as list prints it`);
  if (values.all && reports.length > 0) throw new Failure('--all goes without names of reports');
  if (values.gone !== undefined && !values.abandon) throw new Failure('--gone goes with move --abandon');
  return { file, name, command, values, reports };
}

/** Runs one command on an outbox. */
export async function outbox(words: readonly string[]): Promise<number> {
  const { file, name, command, values, reports } = readOutboxCall(words);
  if ('begin' in command) return command.begin(file, values, reports);
  if (name === 'verify' && beginsWithBrace(file)) return verifyFile(file, values);

  const schema = readSchema(values.schema ?? DEFAULT_SCHEMA);
  const store = isAddress(file) ? await openOutboxServer(file, schema) : await openOutboxFile(file);
  const begin = isAddress(file) ? serverCommand(file, schema) : `location-sdk outbox ${quoted(file)}`;
  try {
    await expectAccount(store, values.account);
    return await command.run({ store, command: begin, now: Date.now() }, values, reports);
  } catch (error) {
    if (!(error instanceof SqliteStoreError || error instanceof PostgresStoreError)) throw error;
    throw new Failure(error.message, EXIT.failed);
  } finally {
    await store.close?.();
  }
}

/** Fails for an account that the outbox does not know. An empty outbox knows none, and every number of it is 0. */
async function expectAccount(store: OutboxStore, account: string | undefined): Promise<void> {
  if (account === undefined) return;
  const known = [...new Set((await store.outlook()).map((one) => one.account))].sort();
  if (known.length === 0 || known.includes(account)) return;
  throw new Failure(`this outbox has no account ${account}${didYouMean(account, known)}; known are ${known.join(', ')}. Nothing was changed`);
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

/** Whether a file is an exported log and not a database. A database in use has a -wal file, and only SQLite may open it. */
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
