import { main } from '../cli/main.js';
import { codeOf, complain, EXIT } from '../cli/output.js';

const streams = [process.stdout, process.stderr];
let lost: string | undefined;
// A reader that closes the pipe does not end the command.
for (const stream of streams) stream.on('error', () => undefined);
process.stdout.on('error', (error) => {
  if (codeOf(error) !== 'EPIPE') lost = codeOf(error);
});
let code = await main(process.argv.slice(2));
// All output is flushed before the process ends.
await Promise.all(streams.map((stream) => new Promise((resolve) => stream.write('', resolve))));
if (lost !== undefined) {
  complain(`the output could not be written (${lost}), and is not complete`);
  code ||= EXIT.failed;
}
// Resources that an operator's own file left open, for example a pool or a timer, do not delay the end.
process.exit(code);
