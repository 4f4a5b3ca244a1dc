import type { TestProject } from 'vitest/node';
import { serveChromium } from './chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: { readonly endpoint: string } | { readonly problem: string };
  }
}

/**
 * One Chromium for all files: each connects to it and makes its own contexts. If it does not start, the browser tests
 * fail with the reason; otherwise vitest would run no test of any project.
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
