import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fourStepsDocument, openApiDocument } from '../../src/entries/mock.js';
import { whenInstalled } from './installed.js';

const require = createRequire(join((await whenInstalled()).project, 'consumer.js'));

test.each([
  ['location-sdk/openapi.json', openApiDocument()],
  ['location-sdk/four-steps.arazzo.json', fourStepsDocument()],
])('%s is the document', (name, document) => {
  expect(JSON.parse(readFileSync(require.resolve(name), 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)));
});
