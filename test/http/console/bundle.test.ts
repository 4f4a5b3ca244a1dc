import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The files of `src` that a bundle of an entry holds. */
async function filesOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [`src/entries/${entry}.ts`],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    packages: 'external',
    loader: { '.sql': 'text' },
    external: ['node:*'],
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

const OF_CONSOLE = /^(?:pages\/|src\/http\/console\/|src\/operator\/)/;

test.each(['index', 'outbox', 'outbox-sqlite', 'outbox-postgres', 'relay', 'page'])(
  'a bundle of %s without the console has nothing of it',
  async (entry) => {
    expect((await filesOf(entry)).filter((file) => OF_CONSOLE.test(file))).toEqual([]);
  },
);

test('the console itself has its handler and its data', async () => {
  const files = await filesOf('outbox-console');
  expect(files).toEqual(expect.arrayContaining(['src/http/console/console.ts', 'src/operator/operator.ts']));
  expect(files.filter((file) => OF_CONSOLE.test(file)).length).toBeGreaterThan(10);
});
