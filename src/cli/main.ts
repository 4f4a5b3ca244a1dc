import { version } from '../core/platform/version.js';
import { type Described, helpOf } from './args.js';
import { CHECK_NOTES, CHECK_OPTIONS, check } from './check/command.js';
import { MOCK_OPTIONS, MOCK_RUN_OPTIONS, mock } from './mock/mock.js';
import { run } from './mock/run.js';
import { describeOutbox, outbox } from './outbox/command.js';
import { complain, EXIT, Failure, say, type Terminal, withTerminal } from './output.js';

interface Command extends Described {
  readonly words: readonly string[];
  readonly describe?: (words: readonly string[]) => Described;
  /** Returns the exit code. */
  run(words: readonly string[]): Promise<number>;
}

/** Longer commands come first, so that `mock run` is not read as `mock`. */
export const COMMANDS: readonly Command[] = [
  {
    words: ['mock', 'run'],
    summary: 'Run a command beside a mock gateway',
    usage: 'mock run [options] -- <command> [argument…]',
    options: MOCK_RUN_OPTIONS,
    notes: `Starts a mock gateway, sets LOCATION_SDK_MOCK to its address and runs the command. The mock gateway ends with it.
SIGINT, SIGTERM and SIGHUP are passed on.

Exit code: that of the command; 128 plus the signal's number if a signal ended it; 127 or 126 if it cannot be
started. 2: the call is wrong.`,
    run,
  },
  {
    words: ['mock'],
    summary: 'Start a mock gateway',
    usage: 'mock [options]',
    options: MOCK_OPTIONS,
    notes: `Prints one line with its address when it is ready. Staging is at that address, production below /production,
and its own routes are below /__admin/. SIGINT, SIGTERM and SIGHUP end it at once.

Exit code 0: ended by a signal. 2: the call is wrong, or the port is in use.`,
    run: mock,
  },
  { ...describeOutbox([]), words: ['outbox'], describe: describeOutbox, run: outbox },
  {
    words: ['check'],
    summary: 'Test an environment: settings, reachability, key, the four steps',
    usage: 'check [options]',
    options: CHECK_OPTIONS,
    notes: CHECK_NOTES,
    run: check,
  },
];

const PROGRAM: Described = {
  summary: '',
  usage: '<command> [options]',
  commands: [...COMMANDS].reverse().map(({ words, summary }) => [words.join(' '), summary]),
  options: { version: { help: 'Print the version' } },
  notes: 'For the options of a command: location-sdk <command> --help',
};

export const main = (words: readonly string[], terminal?: Terminal): Promise<number> =>
  withTerminal(terminal, async () => {
    try {
      return await runWords(words);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      complain(error.message);
      return error.exitCode;
    }
  });

async function runWords(words: readonly string[]): Promise<number> {
  const command = COMMANDS.find((one) => one.words.every((word, index) => words[index] === word));
  const rest = words.slice(command?.words.length ?? 0);
  // The words after two hyphens belong to another program.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h') || words.length === 0) {
    say(helpOf(command?.describe?.(own) ?? command ?? PROGRAM));
    // A script with an empty command must fail.
    return words.length === 0 ? EXIT.usage : EXIT.done;
  }
  if (command) return command.run(rest);
  if (words[0] === '--version') {
    say(version);
    return EXIT.done;
  }
  const [first] = words;
  if (first?.startsWith('-')) throw new Failure(`unknown option ${first}; see location-sdk --help`);
  const known = COMMANDS.map((one) => one.words.join(' ')).join(', ');
  throw new Failure(`unknown command ${first}; known are ${known}; see location-sdk --help`);
}
