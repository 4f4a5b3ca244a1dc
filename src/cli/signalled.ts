import { terminal } from './terminal.js';

/** Resolves when a signal to end the command arrives. */
export function signalled(): Promise<void> {
  const { signal } = terminal();
  return new Promise((resolve) => {
    if (signal) signal.addEventListener('abort', () => resolve());
    else for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => resolve());
  });
}
