// The alerts of examples/grafana/alerts.yaml, with the incidents of test/opentelemetry/alerts.test.yaml, in the rule tester
// of Prometheus. Takes Debian's package with apt-get, and unpacks it into a temporary folder: nothing is installed. If
// that fails, one line says why. `node test/debian-prometheus.js`, or PROMTOOL=/usr/bin/promtool before it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RULES = 'examples/grafana/alerts.yaml';
const INCIDENTS = 'test/opentelemetry/alerts.test.yaml';
const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
const { PROMTOOL } = process.env;

/** @param {string} command @param {string[]} words @param {string} [cwd] */
const run = (command, words, cwd) => spawnSync(command, words, { cwd, encoding: 'utf8' });

/** The path of promtool, or why there is none. @returns {{ promtool: string } | { why: string }} */
function unpack() {
  if (PROMTOOL) return { promtool: PROMTOOL };
  if (run('apt-get', ['--version']).error) return { why: 'there is no apt-get' };
  if (process.getuid?.() === 0 && run('apt-get', ['update', '-qq']).status !== 0)
    return { why: 'apt-get update failed' };
  if (run('apt-get', ['download', '-qq', 'prometheus'], folder).status !== 0)
    return { why: 'apt-get download prometheus failed' };
  const file = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  run('dpkg', ['-x', file, 'unpacked'], folder);
  const promtool = join(folder, 'unpacked/usr/bin/promtool');
  return existsSync(promtool) ? { promtool } : { why: `${file} has no promtool` };
}

/** Each change of a rule must make an incident fail, or the incidents prove nothing. @type {[string, string][]} */
const BROKEN = [
  ['reports_total[80s:5s]', 'reports_total[20m:5s]'],
  ['80s', '75s'],
  ['80s', '2m'],
  ['reports_total[80s:5s]', 'reports_total[80s]'],
  ['for: 80s', 'for: 10m'],
  ['for: 80s', 'for: 15s'],
  [
    ' and max by (job, location_sdk_account, location_sdk_environment) (location_sdk_outbox_pending offset 80s) > 0',
    '',
  ],
  ['min_over_time((max by (job, location', 'max_over_time((max by (job, location'],
  ['~"authentication|', '~"'],
  ['|configuration|', '|configuration|unreachable|'],
  [
    'sum by (job, location_sdk_account, location_sdk_environment) (increase(location_sdk_outbox_recorded',
    'on (job) sum by (job) (increase(location_sdk_outbox_recorded',
  ],
  ['[10m:15s]', '[1d:15s]'],
  ['="authentication"}[2m]', '="authentication"}[10m]'],
  ['="refusals"}[2m]', '="refusals"}[15s]'],
  [', location_sdk_account,', ','],
  ['went_back_total[5m]', 'went_back_total[15m]'],
  ['="configuration"}', '="address"}'],
];

function main() {
  const found = unpack();
  if ('why' in found) return console.log(`The alerts are not tested with Prometheus: ${found.why}.`);
  const told = run(found.promtool, ['test', 'rules', INCIDENTS]);
  console.log(`${told.stdout ?? ''}${told.stderr ?? ''}`);
  if (told.status !== 0) process.exitCode = 1;
  const rules = readFileSync(RULES, 'utf8');
  const incidents = readFileSync(INCIDENTS, 'utf8').replace(`../../${RULES}`, 'broken.yaml');
  writeFileSync(join(folder, 'incidents.yaml'), incidents);
  for (const [from, to] of BROKEN) {
    const broken = rules.replaceAll(from, to);
    writeFileSync(join(folder, 'broken.yaml'), broken);
    if (broken !== rules && run(found.promtool, ['test', 'rules', 'incidents.yaml'], folder).status !== 0) continue;
    console.log(`No incident fails if ${from} becomes ${to}.`);
    process.exitCode = 1;
  }
}

try {
  main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
