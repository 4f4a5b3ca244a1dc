import { terminal } from '../../terminal.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Hears the first signal that asks the process to end, so that the batch under way is finished. The second one ends it at once. */
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
