import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { npm, root, run } from '../support/packed.js';
import { whenInstalled } from './installed.js';

const guide = readFileSync(join(root, 'docs/how-to/telemetry.md'), 'utf8');
/** The command of the guide, and the packages that its text names with a version. */
const command = /^npm install (@opentelemetry\/.+)$/m.exec(guide)?.[1]?.split(' ') ?? [];
const named = [...new Set(Array.from(guide.matchAll(/`(@opentelemetry\/[a-z-]+@[\d.]+)`/g), ([, name = '']) => name))];

const SCRIPT = `
  import { NodeSDK, tracing } from '@opentelemetry/sdk-node';
  import { createClient } from 'location-sdk';
  import { createMockGateway } from 'location-sdk/mock';
  import { instrumentClient } from 'location-sdk/opentelemetry';

  const spans = new tracing.InMemorySpanExporter();
  const processor = new tracing.SimpleSpanProcessor(spans);
  const sdk = new NodeSDK({ spanProcessors: [processor] });
  sdk.start();
  const gateway = createMockGateway();
  const client = instrumentClient(createClient({ ...gateway.clientOptions(), fetch: gateway.fetch }));
  await client.verifyNin({ nin: '99012345678' });
  await processor.forceFlush();
  console.log(spans.getFinishedSpans().map(({ name }) => name).join());
  await sdk.shutdown();
`;

test('every package of OpenTelemetry that the guide tells to install has a version', () => {
  expect(command.map((name) => name.split('@')[1])).toEqual(['opentelemetry/api', 'opentelemetry/sdk-node']);
  for (const name of command) expect(name).toMatch(/^@opentelemetry\/[a-z-]+@\d/);
  expect(named.map((name) => name.split('@')[1])).toEqual(['opentelemetry/exporter-prometheus']);
});

test('the versions of the guide install together with the package, and measure a call', {
  tags: 'slow',
  timeout: 300_000,
}, async () => {
  const { project } = await whenInstalled();
  const folder = join(inject('runFolder'), 'telemetry');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const tarball = join(project, readdirSync(project).find((name) => name.endsWith('.tgz')) ?? '');
  // One after the other, as a person does it.
  for (const words of [[tarball, ...command], named]) await npm(folder, 'install', '--prefer-offline', ...words);
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', SCRIPT], { cwd: folder });
  expect([stdout, stderr]).toEqual(['verifyNin\n', '']);
});
