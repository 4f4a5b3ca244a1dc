import { main } from '../cli/main.js';

const streams = [process.stdout, process.stderr];
// A reader that closes the pipe does not end the command.
for (const stream of streams) stream.on('error', () => undefined);
const code = await main(process.argv.slice(2));
// Everything that was written is handed on before the process ends.
await Promise.all(streams.map((stream) => new Promise((resolve) => stream.write('', resolve))));
// What an operator's own file has left open, such as a pool or a timer, keeps nothing waiting.
process.exit(code);
