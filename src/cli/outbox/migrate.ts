import { runWithin } from '../../outbox/stores/postgres/database.js';
import { grantsFor } from '../../outbox/stores/postgres/failure.js';
import { DEFAULT_SCHEMA } from '../../outbox/stores/postgres/schema/name.js';
import { prepareSchema } from '../../outbox/stores/postgres/schema/prepare.js';
import { EXIT, Failure, say } from '../output.js';
import { clientOf, connectClient, isAddress } from './open.js';
import type { BeginCommand } from './options.js';

export const migrate: BeginCommand = async (address, { schema = DEFAULT_SCHEMA, json }) => {
  if (!isAddress(address))
    throw new Failure('migrate takes an address postgres://…: a SQLite store makes its tables itself');
  const client = await clientOf(address);
  try {
    await connectClient(client, schema);
    const { isNew: made } = await prepareSchema(runWithin(client, schema), schema, true);
    const grants = grantsFor(schema);
    if (json) say(JSON.stringify({ made, schema, grants }));
    else
      say(
        `${made ? 'Made the tables' : 'The tables are up to date'} in schema ${schema}. If your processes have another role, run:\n${grants.join('\n')}`,
      );
    return EXIT.done;
  } finally {
    await client.end().catch(() => {});
  }
};
