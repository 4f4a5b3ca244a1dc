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
  /** The usage after these words. Default: `[options]`. */
  readonly usage?: string;
  readonly options: OptionTable;
  /** The end of its help. */
  readonly notes: string;
  /** Runs the command. Returns the exit code. */
  run(words: readonly string[]): Promise<number>;
}

/** Longer commands come first, so that `mock ready` is not read as `mock`. */
export const COMMANDS: readonly Command[] = [
  {
    words: ['mock', 'ready'],
    summary: 'Test whether a mock gateway answers',
    options: READY_OPTIONS,
    notes: 'Exit code 0: it answers. 1: it does not answer in time, or another mock gateway answers. 2: the call is wrong.',
    run: ready,
  },
  {
    words: ['mock', 'run'],
    summary: 'Run a command beside a mock gateway',
    usage: '[options] -- <command> [argument…]',
    options: RUN_OPTIONS,
    notes: [
      'Starts a mock gateway on a free port, sets LOCATION_SDK_MOCK to its address and runs the command. The mock gateway',
      'ends with the command. SIGINT, SIGTERM and SIGHUP are passed on to the command.',
      '',
      "Exit code: that of the command; 128 plus the signal's number if a signal ended it; 127 or 126 if it cannot be",
      'started. 1 and 2: as for mock.',
    ].join('\n'),
    run,
  },
  {
    words: ['mock'],
    summary: 'Start a mock gateway',
    options: MOCK_OPTIONS,
    notes: [
      'Prints one line with its address when it is ready. Staging is at that address, production below /production,',
      'and its own routes are below /__admin/. SIGINT, SIGTERM and SIGHUP end it at once and close all connections.',
      '',
      'Exit code 0: ended by a signal. 1: the state could not be saved. 2: the call is wrong, the port is in use,',
      'or the state file cannot be used (it is not changed).',
    ].join('\n'),
    run: mock,
  },
  {
    words: ['outbox'],
    summary: 'Inspect an outbox, and decide about reports that need a person',
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
