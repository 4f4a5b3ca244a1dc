import type { OptionTable } from './args.js';
import { CHECK_NOTES, CHECK_OPTIONS, check } from './check/command.js';
import { MOCK_OPTIONS, mock } from './mock/mock.js';
import { READY_OPTIONS, ready } from './mock/ready.js';
import { RUN_OPTIONS, run } from './mock/run.js';
import { OUTBOX_NOTES, outbox } from './outbox/command.js';
import { OUTBOX_OPTIONS } from './outbox/options.js';

/** A command of `location-sdk`. */
export interface Command {
  /** The words that call it. */
  readonly words: readonly string[];
  readonly summary: string;
  /** What follows the words. Default: `[options]`. */
  readonly usage?: string;
  readonly options: OptionTable;
  /** More for its help. */
  readonly notes: string;
  /** Does it, and gives the exit code. */
  run(words: readonly string[]): Promise<number>;
}

/** The longest words first, so that `mock ready` is not taken for `mock`. */
export const COMMANDS: readonly Command[] = [
  {
    words: ['mock', 'ready'],
    summary: 'Tell whether a mock gateway answers',
    options: READY_OPTIONS,
    notes: 'Exit code 0: it answers. 1: it does not, or not in time, or another mock gateway does. 2: the call is wrong.',
    run: ready,
  },
  {
    words: ['mock', 'run'],
    summary: 'Run a command beside a mock gateway',
    usage: '[options] -- <command> [argument…]',
    options: RUN_OPTIONS,
    notes: [
      'Starts a mock gateway on a free port, sets LOCATION_SDK_MOCK to its address and runs the command. When the command',
      'ends, so does the mock gateway. SIGINT, SIGTERM and SIGHUP are passed on to the command.',
      '',
      "Exit code: the command's own; 128 and the signal's number where a signal ended it; 127 or 126 where it cannot be",
      'started. 1 and 2 as for mock.',
    ].join('\n'),
    run,
  },
  {
    words: ['mock'],
    summary: 'Start a mock gateway',
    options: MOCK_OPTIONS,
    notes: [
      'Prints one line when it is ready, with its real address. Staging is at that address, production below',
      '/production, its own routes below /__admin/. SIGINT and SIGTERM end it at once, open connections included.',
      '',
      'Exit code 0: ended by a signal. 1: the state could not be saved. 2: the call is wrong, the port is taken,',
      'or the state file cannot be used (it is left as it is).',
    ].join('\n'),
    run: mock,
  },
  {
    words: ['outbox'],
    summary: "Look into an outbox's SQLite file, and decide what needs a person",
    usage: '<file> [command] [report…] [options]',
    options: OUTBOX_OPTIONS,
    notes: OUTBOX_NOTES,
    run: outbox,
  },
  {
    words: ['check'],
    summary: 'Test an environment: settings, reachability, key, the four steps',
    options: CHECK_OPTIONS,
    notes: CHECK_NOTES,
    run: check,
  },
];
