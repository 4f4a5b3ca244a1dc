import type { TestProject } from 'vitest/node';
import { serveChromium } from './chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    chromiumEndpoint: string;
  }
}

/** One Chromium for all files: each connects to it and makes contexts of its own. */
export default async function shareChromium(project: TestProject): Promise<() => Promise<void>> {
  const server = await serveChromium();
  project.provide('chromiumEndpoint', server.wsEndpoint());
  return () => server.close();
}
