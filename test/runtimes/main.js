// What Node.js, Deno and Bun run. The last line shows that they came to the end.
import { tryInstalled } from './installed.js';

await tryInstalled();
console.log('all held');
