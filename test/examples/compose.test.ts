import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readArgs } from '../../src/cli/args.js';
import { COMMANDS } from '../../src/cli/main.js';
import { codeBlocks } from '../support/code-blocks.js';
import { root } from '../support/run.js';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly ports: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: readonly string[] };
}

const text = readFileSync(join(root, 'examples/compose.yaml'), 'utf8');
const { services }: { services: Record<'postgres' | 'gateway', Service> } = parse(text);

it('compose.yaml starts the mock gateway with an existing command, on the port in its text', () => {
  const { command = [], ports, healthcheck } = services.gateway;
  const [program, yes, ...words] = command;
  expect([program, yes, ...words.slice(0, 2)]).toEqual(['npx', '--yes', 'location-sdk', 'mock']);
  const mock = COMMANDS.find((one) => one.words.join(' ') === 'mock');
  const values: Record<string, unknown> = readArgs(mock?.options ?? {}, words.slice(2));
  // Any other address than loopback needs the token.
  expect(values).toEqual({ host: '0.0.0.0', port: 4010, 'admin-token': expect.stringMatching(/./) });
  expect(ports).toEqual(['127.0.0.1:4010:4010']);
  expect(healthcheck.test.at(-1)).toBe('http://127.0.0.1:4010/');
  expect(text).toContain('LOCATION_SDK_MOCK=http://127.0.0.1:4010\n');
});

it('compose.yaml names the database as its comment does', () => {
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: name } = services.postgres.environment ?? {};
  expect(text).toContain(`DATABASE_URL=postgres://${user}:${password}@127.0.0.1:5432/${name} `);
  expect(services.postgres.ports).toEqual(['127.0.0.1:5432:5432']);
  expect(services.postgres.healthcheck.test).toEqual(['CMD', 'pg_isready', '--username', user]);
});

it('the jobs of the guide to the mock gateway are YAML, and run its command', () => {
  const blocks = codeBlocks(readFileSync(join(root, 'docs/start/ci.md'), 'utf8')).filter(
    ({ language }) => language === 'yaml',
  );
  const [node, php] = blocks.map(({ code }) => parse(code));
  expect(blocks).toHaveLength(2);
  expect(php.test.services[0].command.slice(2, 4)).toEqual(['location-sdk', 'mock']);
  expect(node.jobs.test.steps.at(-1).run).toBe('npx location-sdk mock run --validation partial -- npm test');
  expect(COMMANDS.map(({ words }) => words.join(' '))).toContain('mock run');
});
