import { version } from '../platform/version.js';
import { COMMANDS } from './commands.js';
import { generalHelp, helpOf } from './help.js';
import { complain, EXIT, Failure, say } from './output.js';
import { type Terminal, withTerminal } from './terminal.js';

/** Runs a command line. Returns the exit code. */
export const main = (words: readonly string[], terminal?: Terminal): Promise<number> =>
  withTerminal(terminal, async () => {
    try {
      return await run(words);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      complain(error.message);
      return error.exitCode;
    }
  });

async function run(words: readonly string[]): Promise<number> {
  const command = COMMANDS.find((one) => one.words.every((word, index) => words[index] === word));
  const rest = words.slice(command?.words.length ?? 0);
  // The words after two hyphens belong to another program.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h') || words.length === 0) {
    say(command ? helpOf(command) : generalHelp());
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
  throw new Failure(`unknown command ${first}; known are ${namesOf(COMMANDS)}; see location-sdk --help`);
}

const namesOf = (commands: typeof COMMANDS) => commands.map((one) => one.words.join(' ')).join(', ');
