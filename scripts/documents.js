// Writes the documents of the gateway into the build.
import { writeFile } from 'node:fs/promises';

const dist = new URL('../dist/', import.meta.url);
const { fourStepsDocument, openApiDocument } = await import(new URL('mock.js', dist).href);

/** @param {string} name @param {unknown} document */
const write = (name, document) => writeFile(new URL(name, dist), `${JSON.stringify(document, null, 2)}\n`);

await write('openapi.json', openApiDocument());
await write('four-steps.arazzo.json', fourStepsDocument());
