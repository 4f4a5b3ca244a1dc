// Builds `dist/`: `npm run build`. The steps after tsup read what it has written, in this order.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
await build({});
await import('./fewer-files.js');
// Files that only export another one. The package has no entry for them (tsup.config.ts).
for (const ending of ['js', 'cjs']) rmSync(`dist/fields.${ending}`);
for (const step of ['cjs-declarations', 'documents', 'server-only', 'integrity']) await import(`./${step}.js`);
