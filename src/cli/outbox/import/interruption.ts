import { terminal } from '../../terminal.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Reacts to the first signal that ends a process, so that the current batch is finished. The second signal ends the process at once. */
export function hearInterruption() {
  const { signal: given } = terminal();
  const asked = new AbortController();
  const hear = () => {
    end();
    asked.abort();
  };
  function end(): void {
    given?.removeEventListener('abort', hear);
    for (const name of SIGNALS) process.off(name, hear);
  }
  if (given?.aborted) asked.abort();
  else if (given) given.addEventListener('abort', hear);
  else for (const name of SIGNALS) process.on(name, hear);
  return { signal: asked.signal, end };
}
