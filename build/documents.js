// Writes the documents of the gateway and the messages for players into the build.
import { cp, writeFile } from 'node:fs/promises';

const dist = new URL('../dist/', import.meta.url);
const { fourStepsDocument, openApiDocument } = await import(new URL('mock.js', dist).href);

/** @param {string} name @param {unknown} document */
const write = (name, document) => writeFile(new URL(name, dist), `${JSON.stringify(document, null, 2)}\n`);

await write('openapi.json', openApiDocument());
await write('four-steps.arazzo.json', fourStepsDocument());
await cp(new URL('../src/core/errors/player-messages/', import.meta.url), new URL('player-messages/', dist), {
  recursive: true,
});
