import { main } from '../cli/main.js';

const streams = [process.stdout, process.stderr];
// A reader that closes the pipe does not end the command.
for (const stream of streams) stream.on('error', () => undefined);
const code = await main(process.argv.slice(2));
// All output is flushed before the process ends.
await Promise.all(streams.map((stream) => new Promise((resolve) => stream.write('', resolve))));
// Resources that an operator's own file left open, for example a pool or a timer, do not delay the end.
process.exit(code);
