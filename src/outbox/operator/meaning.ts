import type { Row } from '../state-machine.js';

/** Explains the state of a report in one sentence. */
export function meaningOf({ state, blocked, problem }: Row): string {
  if (blocked) return 'it is sent once the report that it waits for is recorded or dismissed';
  if (state === 'waiting') return problem?.code === 'configuration' ? 'it cannot be sent, since a setting is missing: see below' : 'it is sent when it is due';
  if (state === 'in-flight') return 'a worker sends it; if that worker dies, another one takes it after the lease';
  if (state === 'quarantined') return 'it is not sent until a person decides';
  return state === 'recorded' ? 'the gateway holds it, or a person said so' : 'a person decided that it is not sent';
}
