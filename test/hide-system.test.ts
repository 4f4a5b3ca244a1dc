import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from './support/new-folder.js';
import { root } from './support/run.js';

let folder: string;
beforeEach(() => {
  folder = newFolder('hide-system');
});

/** The programs that would need root or change the machine, each with its replacement. */
const STANDINS: Readonly<Record<string, string>> = {
  id: 'echo 0',
  unshare: 'exit 1',
  sudo: 'exit 1',
  mount: 'echo "$@" >> "$HOME/mounted"',
  // Each process is in another mount namespace.
  readlink: 'echo "mnt:[$$]"',
  ldconfig: 'echo "1 libs found"; echo "libnss3.so (libc6) => $HOME/libnss3.so"',
};
/** An unshare that makes no new namespace, and runs the command after its options. */
const IN_PLACE = 'while [ "$1" != -- ]; do shift; [ $# -gt 0 ] || exit 0; done; shift; exec "$@"';

/** Runs the script with replacements on the PATH, which it finds before the system's programs. */
function hide(
  words: readonly string[],
  { standIns = {}, env = {} }: { standIns?: Readonly<Record<string, string>>; env?: Record<string, string> } = {},
) {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  for (const [name, does] of Object.entries({ ...STANDINS, ...standIns })) {
    writeFileSync(join(programs, name), `#!/bin/bash\n${does}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const { status, stdout, stderr } = spawnSync(join(root, '.ci/hide-system'), words, {
    env: { PATH: `${programs}:/usr/sbin:/usr/bin:/sbin:/bin`, HOME: folder, ...env },
    encoding: 'utf8',
  });
  const mounted = join(folder, 'mounted');
  return { status, stdout, stderr, mounts: existsSync(mounted) ? readFileSync(mounted, 'utf8') : '' };
}

describe('.ci/hide-system', () => {
  it('clears the variables that name browsers, folders of fonts and libraries', () => {
    const names = [
      'CHROMIUM_PATH',
      'LD_LIBRARY_PATH',
      'FONTCONFIG_FILE',
      'XDG_DATA_HOME',
      'XDG_DATA_DIRS',
      'XDG_CONFIG_HOME',
    ];
    const { status, stdout } = hide(['env'], {
      env: { ...Object.fromEntries(names.map((name) => [name, '/elsewhere'])), KEPT: 'yes' },
    });
    expect(status).toBe(0);
    expect(stdout).toContain('KEPT=yes');
    for (const name of names) expect(stdout).not.toContain(`${name}=`);
  });

  it('says in one line that it cannot mount, and runs the command', () => {
    expect(hide(['echo', 'ran'])).toMatchObject({
      status: 0,
      stdout: 'ran\n',
      stderr: expect.stringMatching(/^hide-system: cannot mount here.*\n$/),
      mounts: '',
    });
  });

  it('mounts /dev/null over the libraries that the loader lists and over those in the folders, and fails if one is still visible', () => {
    for (const name of ['libnss3.so', 'libnspr4.so']) writeFileSync(join(folder, name), 'a library');
    // The machine has no font, and one library in its folders.
    const find = 'case "$*" in *ttf*) ;; *"/usr/lib "*) echo "$HOME/libnspr4.so" ;; esac';
    const { status, stdout, stderr, mounts } = hide(['echo', 'ran'], {
      standIns: { unshare: IN_PLACE, find, 'fc-list': '' },
    });
    for (const name of ['libnss3.so', 'libnspr4.so'])
      expect(mounts).toContain(`--bind /dev/null ${join(folder, name)}\n`);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    // On a machine that has a browser, that is found first.
    expect(stderr).toMatch(/this library is still there|still on the PATH/);
  });

  it('fails if a font is still visible', () => {
    mkdirSync(join(folder, '.fonts'));
    writeFileSync(join(folder, '.fonts/a.ttf'), 'a font');
    const { status, stderr } = hide(['echo', 'ran'], { standIns: { unshare: IN_PLACE } });
    expect(status).toBe(1);
    expect(stderr).toContain('fonts are still visible');
  });
});
