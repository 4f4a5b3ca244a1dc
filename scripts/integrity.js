// Says what the script-tag file is: `dist/integrity.json` holds its hash for `integrity`, and its size.
//   --readme   also writes version and hash into the script tag of the README; done when a version is made
//   --check    fails where that tag is not that of the built file; done before a version is published
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const NAME = 'location-sdk.global.js';

const file = await readFile(`dist/${NAME}`);
const integrity = `sha384-${createHash('sha384').update(file).digest('base64')}`;
const facts = { [NAME]: { integrity, bytes: file.byteLength, gzipBytes: gzipSync(file, { level: 9 }).byteLength } };
await writeFile('dist/integrity.json', `${JSON.stringify(facts, null, 2)}\n`);

if (process.argv.length > 2) {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const readme = await readFile('README.md', 'utf8');
  const tag = /location-sdk@[^/"]+(\/dist\/location-sdk\.global\.js"\s+integrity=")[^"]*/;
  if (!tag.test(readme)) throw new Error('The README has no script tag with an integrity attribute.');
  const right = readme.replace(tag, `location-sdk@${version}$1${integrity}`);
  if (process.argv.includes('--readme')) await writeFile('README.md', right);
  else if (right !== readme) {
    console.error(`The README's script tag is not that of version ${version} as it is built: run "node scripts/integrity.js --readme".`);
    process.exitCode = 1;
  }
}
