// Prepares the release of the version in package.json: `npm run release`, with `-- --test` also `npm test`. It checks,
// packs into release/, and prints what is left for the owner. It publishes nothing, makes no tag, and changes no file
// that git knows.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));
const FOLDER = 'release';
/** npm asks a registry that does not answer once. */
const ONCE = ['--fetch-retries=0', '--fetch-timeout=30000'];
/** As semver.org gives it, without build metadata, which npm drops. */
const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(-(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?$/;

const readJson = (/** @type {string} */ path) => JSON.parse(readFileSync(path, 'utf8'));
const { name, version, repository } = readJson('package.json');
const tag = `v${version}`;

/** The result of a program, with its output. @param {string} program @param {string[]} words */
function ask(program, ...words) {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    // The number of a version is not to be coloured.
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  });
  if (error) throw error;
  return { ok: status === 0, stdout: stdout.trimEnd(), output: `${stdout}${stderr}`.trim() };
}
const git = (/** @type {string[]} */ ...words) => ask('git', ...words).stdout;

/** Ends the program. @param {readonly string[]} reasons @returns {never} */
function refuse(...reasons) {
  for (const reason of reasons) console.error(`Not released: ${reason}`);
  process.exit(1);
}

/** Runs a check, and shows its output. @param {string[]} command */
function check(...command) {
  const [program = '', ...words] = command;
  console.info(`== ${command.join(' ')}`);
  const { status, signal, error } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0)
    refuse(`"${command.join(' ')}" failed (${error?.message ?? signal ?? status}). Nothing was packed.`);
}

/** The text under a heading such as "## 1.0.0 - 2026-11-28", and what stands in place of the date. */
function changes() {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const [heading = '', ...lines] = sections.find((text) => text.startsWith(`${version} - `))?.split('\n') ?? [];
  return { date: heading.slice(`${version} - `.length), text: lines.join('\n').trim() };
}

/** The reasons that need no build. */
function reasons() {
  const { packages } = readJson('package-lock.json');
  const tagged = git('rev-parse', '--verify', '--quiet', `${tag}^{commit}`);
  const dirty = git('status', '--porcelain');
  const { date, text } = changes();
  return [
    !SEMVER.test(version) && `the version "${version}" of package.json is not semantic, such as 1.2.3 or 1.2.3-rc.1.`,
    packages?.['']?.version !== version &&
      `package-lock.json has another version. Run: npm install --package-lock-only`,
    !text && `CHANGELOG.md has no text under "## ${version} - <date>".`,
    text && !/^(?:\d{4}-\d{2}-\d{2}|Unreleased)$/.test(date) && `the date of ${version} in CHANGELOG.md is "${date}".`,
    tagged && tagged !== git('rev-parse', 'HEAD') && `the tag ${tag} is at another commit, ${tagged.slice(0, 12)}.`,
    tagged && date === 'Unreleased' && `the tag ${tag} is made, and CHANGELOG.md still says "Unreleased".`,
    dirty && `the work tree has changes that are not committed:\n${dirty}`,
  ].filter((reason) => typeof reason === 'string' && reason !== '');
}

/** Looks the version up in the registry. Returns a reason to stop, or a line to print. */
function published() {
  const { ok, output, stdout } = ask('npm', 'view', name, 'versions', '--json', ...ONCE);
  if (!ok && /\bE404\b/.test(output)) return { line: `The registry has no package ${name} yet.` };
  if (!ok) {
    const [code = 'no answer'] = /\bE[A-Z]{3,}\w*/.exec(output) ?? [];
    return { line: `THE REGISTRY WAS NOT REACHED (${code}): whether ${version} is published already is not known.` };
  }
  const versions = [JSON.parse(stdout)].flat();
  if (versions.includes(version)) return { reason: `${name} ${version} is published already. Choose another version.` };
  return { line: `The registry has ${versions.length} versions of ${name}, and not ${version}.` };
}

const unknown = process.argv.slice(2).filter((word) => word !== '--test');
if (unknown.length > 0) refuse(`there is no option ${unknown.join(' ')}. There is --test.`);
const why = reasons();
if (why.length > 0) refuse(.../** @type {string[]} */ (why));
const registry = published();
if (registry.reason) refuse(registry.reason);

check('npm', 'run', 'lint');
check('npm', 'run', 'types');
check('npm', 'run', 'build');
if (process.argv.includes('--test')) check('npm', 'test');
check('node', 'test/packaging/run.js', 'contents', 'lint');

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
const packing = ask('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', FOLDER);
if (!packing.ok) refuse(`npm pack failed:\n${packing.output}`);
const [{ filename, integrity, size, unpackedSize, entryCount }] = JSON.parse(packing.stdout);
// Without "./", npm takes it for a repository at GitHub.
const tarball = `./${FOLDER}/${filename}`;
const distTag = version.includes('-') ? 'next' : 'latest';
const publish = ['publish', tarball, '--ignore-scripts', '--access', 'public', '--tag', distTag];
const dryRun = ask('npm', ...publish, '--dry-run', ...ONCE);
if (!dryRun.ok) refuse(`npm ${publish.join(' ')} --dry-run failed:\n${dryRun.output}`);

const components = ask('npm', 'run', '--silent', 'sbom');
if (!components.ok) refuse(`npm run sbom failed:\n${components.output}`);
writeFileSync(`${FOLDER}/${name}.cdx.json`, components.stdout);
copyFileSync('dist/integrity.json', `${FOLDER}/integrity.json`);
const { date, text } = changes();
const home = /^git\+(https:\/\/.*)\.git$/.exec(repository?.url ?? '')?.[1];
// A link from the page of a release needs the whole address.
writeFileSync(`${FOLDER}/notes.md`, `${home ? text.replaceAll('](docs/', `](${home}/blob/${tag}/docs/`) : text}\n`);

const left = [
  date === 'Unreleased' &&
    `Replace "Unreleased" after ${version} in CHANGELOG.md with the date, commit, and run npm run release again: the tarball holds the changelog.`,
  !home &&
    'Name the public repository in package.json, commit, and run npm run release again. Set up npm and GitHub: the first lines of .github/workflows/release.yml.',
  !process.argv.includes('--test') &&
    'Run the tests: npm run release -- --test, or all of them with bash .ci/run, which the workflow runs, too.',
  `git tag ${tag} ${git('rev-parse', 'HEAD')} && git push origin ${tag}
     The workflow "release" then checks again, and publishes and announces as follows:
       npm ${publish.join(' ')} --provenance
       gh release create ${tag} --verify-tag${distTag === 'next' ? ' --prerelease' : ''} --notes-file ${FOLDER}/notes.md ${FOLDER}/${name}.cdx.json ${FOLDER}/integrity.json
     By hand, leave out --provenance: npm takes it from a workflow only.`,
  `npm view ${name}@${version} dist.integrity
     It must print the SHA-512 of the tarball that was published.`,
].filter((step) => typeof step === 'string');

console.info(`
== ${name} ${version} is ready in ${FOLDER}/
${registry.line}
${tarball}: ${entryCount} files, ${size.toLocaleString('en')} bytes packed, ${unpackedSize.toLocaleString('en')} unpacked
SHA-512: ${integrity}
npm publish --dry-run takes it, with the dist-tag ${distTag}. The notes of the release: ${FOLDER}/notes.md, ${text.split('\n').length} lines of the changelog.

Left for the owner:
${left.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}`);
