// Makes the operator's own tables; your migrations do this.
import { readFile } from 'node:fs/promises';
import { pool } from './database.mjs';

await pool.query(await readFile('schema.sql', 'utf8'));
await pool.end();
