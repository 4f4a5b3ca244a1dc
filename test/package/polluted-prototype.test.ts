import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();
const { exports } = JSON.parse(readFileSync(join(project, 'node_modules/location-sdk/package.json'), 'utf8'));
/** The entries that need no other package. */
const entries = Object.keys(exports).filter(
  (name) => !/\.json$|^\.\/(?:mock\/msw|global|opentelemetry|transport\/node)$/.test(name),
);

/** Members as older libraries add them, each enumerable. */
const POLLUTE = `
Object.prototype.extend = function () {};
Object.prototype.count = 3;
Array.prototype.each = function () {};
`;
const STORY = `
const gateway = (await load('location-sdk/mock')).createMockGateway();
const server = await (await load('location-sdk/node')).serve(gateway);
const { fetch, ...options } = gateway.clientOptions();
const gateways = { staging: { baseUrl: server.url, apiKey: 'mock-api-key' } };
const client = (await load('location-sdk')).createClient({ ...options, gateways });
const user = { user_id: 'U-1', first_name: 'Ada', last_name: 'Obi', resident_address: '1 Road', resident_lga: 'Ikeja',
  resident_state: 'LAGOS', is_resident: true, nin: '99000000001', tax_id: '1' };
const receipt = await client.reportBetEvent({ bet_id: 'B-1', amount: 5, user });
const wrong = await client.reportBetEvent({ bet_id: 'B-2', amount: '5', user, extra: 1 }).catch((error) => error);
console.log(receipt.outcome, gateway.reports().length, wrong.issues.map(({ path }) => path).join());
await server.close();
`;

it.each([
  ['an ES module', 'module', 'const load = (name) => import(name);'],
  ['CommonJS', 'commonjs', 'const load = async (name) => require(name);'],
])('every entry loads and reports beside enumerable members of built-in prototypes, from %s', (_, type, load) => {
  const loads = entries.map((name) => `await load('location-sdk${name.slice(1)}');`).join('\n');
  const code = `${load}\n(async () => {${POLLUTE}\n${loads}\n${STORY}})();`;
  const { stdout, stderr } = spawnSync(process.execPath, [`--input-type=${type}`, '-e', code], {
    cwd: project,
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['recorded 1 amount,extra\n', '']);
});
