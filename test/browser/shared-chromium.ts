import type { TestProject } from 'vitest/node';
import { serveChromium } from './chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: { readonly endpoint: string } | { readonly problem: string };
  }
}

/**
 * One Chromium for all files: each connects to it and makes contexts of its own. Where it does not start, the tests of
 * the browser fail and say why; vitest would otherwise run no test of any project.
 */
export default async function shareChromium(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  try {
    const server = await serveChromium();
    project.provide('chromium', { endpoint: server.wsEndpoint() });
    return () => server.close();
  } catch (error) {
    project.provide('chromium', { problem: String(error) });
    return undefined;
  }
}
