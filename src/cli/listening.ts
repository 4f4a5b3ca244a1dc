import { Failure } from './output.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken; choose another, or 0 for a free one',
  EACCES: 'this port is not allowed',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up',
};

/** Starts a server. One that cannot listen is a wrong call. */
export async function listening<Server>(start: () => Promise<Server>, where: string): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(error instanceof TypeError ? message : `cannot listen on ${where}: ${REASONS[code ?? ''] ?? message}`);
  }
}
