import { COMMANDS, type Command } from './commands.js';

const nameOf = ({ words }: Command) => ['location-sdk', ...words].join(' ');

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

/** The help of the whole program. */
export const generalHelp = (): string => `Usage: location-sdk <command> [options]

Commands:
${columns([...COMMANDS].reverse().map((command) => [command.words.join(' '), command.summary]))}

Options:
${columns([
  ['--version', 'Print the version'],
  ['--help', 'Print this help; after a command, the help of that command'],
])}`;

/** The help of one command. */
export function helpOf(command: Command): string {
  const rows = Object.entries(command.options).map(([name, { hint, help }]): [string, string] => [`--${name}${hint ? ` ${hint}` : ''}`, help]);
  return `${command.summary}.

Usage: ${nameOf(command)} ${command.usage ?? '[options]'}

Options:
${columns([...rows, ['--help', 'Print this help']])}

${command.notes}`;
}
