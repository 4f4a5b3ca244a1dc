import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSample, versionsOf, worksOn } from '../released/released.js';
import { newFile, openSqlite, openStore, query } from './files.js';

it('there is a sample of these tables; after a change of them run test/outbox/stores/released/make.js', async () => {
  const file = newFile();
  await (await openStore(file)).close?.();
  const database = openSqlite(file);
  const [row] = query(database, "SELECT value FROM outbox_meta WHERE name = 'version'");
  database.close();
  expect(versionsOf('sqlite')).toContain(String(row?.value));
});

it.each(versionsOf('sqlite'))('a file with the tables of version %s goes on with this build', async (version) => {
  const { content, receipts } = readSample('sqlite', version);
  const file = newFile();
  writeFileSync(file, content);
  const store = await openStore(file);
  await worksOn(store, receipts);
  await store.close?.();
});
