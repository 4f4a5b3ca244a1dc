// A worker that sends reports until its parent ends it.
import { openOutbox } from './refusal-outbox.js';

const { outbox } = await openOutbox(
  /** @type {import('./refusal-outbox.js').Task} */ (JSON.parse(process.argv[2] ?? '')),
);
process.once('disconnect', () => process.exit(1));
outbox.start();
