// The program that Node.js, Deno and Bun run. Its last line shows that it reached the end.
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createOutbox, memoryStore } from 'location-sdk/outbox';
import { tryBrokenAnswers } from './broken-answers.js';
import { tryInstalled } from './installed.js';
import { betUser } from './players.js';

await tryInstalled();
const wrong = await tryBrokenAnswers({ createClient });
if (wrong.length > 0) throw new Error(wrong.join('\n'));

// An outbox hashes its data. If a runtime warns about that, the program ends here.
const outbox = createOutbox({
  client: createClient({ ...createMockGateway().clientOptions(), logger: {} }),
  store: memoryStore(),
});
outbox.start();
const kept = await outbox.reportBetEvent({ bet_id: 'BET-1', amount: 1500, user: betUser });
await kept.done;
await outbox.stop();
// Node.js 20 has no SQLite of its own, and Deno is denied to write files.
if (process.versions.sqlite && !('Deno' in globalThis)) await (await import('./file-outbox.js')).tryFileOutbox();
// Its `fetch` speaks HTTP/2.
if (Number.parseInt(process.versions.node, 10) >= 26 && !('Deno' in globalThis || 'Bun' in globalThis))
  await (await import('./http2.js')).tryHttp2();
console.log('all held');
