import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './support/run.js';

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** The jobs of a workflow by name, as text, without comments. */
function jobsOf(text: string) {
  const [, jobs = ''] = text.replace(/\s*# .*$/gm, '').split(/^jobs:\n/m);
  return jobs.split(/^(?= {2}\w+:\n)/m).map((job) => ({ name: job.trim().split(':')[0], job }));
}

describe('the workflows', () => {
  it.each(workflows)('$name names every action by the hash of its commit, with its version', ({ text }) => {
    const actions = text.match(/uses:.*/g) ?? [];
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it.each(workflows)(
    '$name gives no permissions to jobs that run code of the project or of its packages',
    ({ text }) => {
      const [before = ''] = text.split(/^jobs:\n/m);
      expect(before).toMatch(/^permissions:/m);
      expect(before).not.toMatch(/: write/);
      for (const { job } of jobsOf(text).filter(({ job: one }) => /: write|secrets\.|github\.token/.test(one))) {
        expect(job).not.toMatch(/actions\/checkout|\.ci\/run|node |npm (?!publish)|npx/);
        for (const command of job.match(/npm publish.*/g) ?? []) expect(command).toContain('--ignore-scripts');
      }
    },
  );

  it('release tests the tagged commit again, and publishes the tested tarball with its provenance', () => {
    const { text = '' } = workflows.find(({ name }) => name === 'release.yml') ?? {};
    const jobs = jobsOf(text).map(({ job }) => job);
    const build = ["require('./package.json').version", '.repository?.url', 'bash .ci/run', 'npm run release'];
    const publish = [
      'needs: build',
      'environment: npm',
      'npm publish "$RUNNER_TEMP/release/location-sdk-',
      '--provenance',
      "contains(github.ref_name, '-') && 'next' || 'latest' }}\"",
    ];
    const announce = ['needs: publish', 'gh release create', '--prerelease', 'notes.md', 'location-sdk.cdx.json'];
    for (const [index, words] of [build, publish, announce].entries()) {
      const places = words.map((word) => jobs[index]?.indexOf(word) ?? -1);
      expect(places).not.toContain(-1);
      expect([...places].sort((one, other) => one - other)).toEqual(places);
    }
  });

  it('ci runs all checks, which .ci/run lists', () => {
    const { text = '' } = workflows.find(({ name }) => name === 'ci.yml') ?? {};
    expect(jobsOf(text).map(({ job }) => job.includes('bash .ci/run'))).toEqual([true]);
  });

  it('release gives an identity token only to the job that publishes', () => {
    const { text = '' } = workflows.find(({ name }) => name === 'release.yml') ?? {};
    expect(jobsOf(text).map(({ name }) => name)).toEqual(['build', 'publish', 'announce']);
    expect(jobsOf(text).flatMap(({ name, job }) => (/id-token: write|NODE_AUTH_TOKEN/.test(job) ? name : []))).toEqual([
      'publish',
    ]);
  });
});
