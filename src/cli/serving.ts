import { Failure, terminal } from './output.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another, or 0 for a free one',
  EADDRNOTAVAIL: 'this machine does not have this address',
};

export async function listening<Server>(start: () => Promise<Server>, where: string): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(
      error instanceof TypeError ? message : `cannot listen on ${where}: ${REASONS[code ?? ''] ?? message}`,
    );
  }
}

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function signalled(): Promise<void> {
  const { signal } = terminal();
  return new Promise((resolve) => {
    if (signal) signal.addEventListener('abort', () => resolve());
    else for (const name of SIGNALS) process.on(name, () => resolve());
  });
}
