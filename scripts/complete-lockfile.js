// Completes package-lock.json where it was written beside a registry mirror that lacks the optional packages of other platforms:
// without their entries `npm ci` refuses the file, on every platform. Run it after changing dependencies.
import { readFile, writeFile } from 'node:fs/promises';

/** What npm calls them, by a part of a package's name. */
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32', 'aix'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

const lockfile = JSON.parse(await readFile('package-lock.json', 'utf8'));
const { packages } = lockfile;
let added = 0;

for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (packages[`node_modules/${name}`] || packages[`${path}/node_modules/${name}`]) continue;
    const words = name.split(/[/-]/);
    const os = SYSTEMS.find((system) => words.includes(system));
    const cpu = PROCESSORS.find((processor) => words.includes(processor));
    if (!os || !cpu) continue;
    packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(dev && { dev }),
      ...(words.includes('musl') && { libc: ['musl'] }),
      optional: true,
      os: [os],
    };
    added += 1;
  }
}

lockfile.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
await writeFile('package-lock.json', `${JSON.stringify(lockfile, null, 2)}\n`);
console.log(`${added} entries added`);
