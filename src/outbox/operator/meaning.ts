import type { Row } from '../state-machine.js';

/** What the state of a report means, in a sentence. */
export function meaningOf({ state, blocked, problem }: Row): string {
  if (blocked) return 'it is sent once the report that it waits for is recorded or dismissed';
  if (state === 'waiting')
    return problem?.code === 'configuration' ? 'a setting is missing before it can be sent, see below' : 'it is sent when its time comes';
  if (state === 'in-flight') return 'a worker sends it; if that worker died, another takes it when the lease is over';
  if (state === 'quarantined') return 'it is not sent any more until a person decides';
  return state === 'recorded' ? 'the gateway holds it, or a person said so' : 'a person decided that it is not sent';
}
