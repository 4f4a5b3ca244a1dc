import { build } from 'esbuild';

/** What `outbox-page.ts` needs, as one script. */
export async function bundleOutboxPage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['test/browser/outbox-page.ts'],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
