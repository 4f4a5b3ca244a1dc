export const DEFAULT_SCHEMA = 'location_sdk';

/** PostgreSQL's own schema, and the words that cannot be a name without quotes. */
const RESERVED = new Set(
  `information_schema all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently
  constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct do
  else end except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
  localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar
  some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window with`.split(
    /\s+/,
  ),
);

/** Whether a value can be the name of a schema. The name is the only outside value that is written into statements. */
export const isSchemaName = (schema: unknown): schema is string =>
  typeof schema === 'string' &&
  /^[a-z_][a-z0-9_]{0,47}$/.test(schema) &&
  !schema.startsWith('pg_') &&
  !RESERVED.has(schema);

/** SQL for a schema. The text names it `schema`, as the `.sql` files do. */
export const inSchema = (schema: string, text: string): string => text.replace(/\bschema(?=\.\w)/g, schema);

export const SCHEMA_RULE =
  "a name of small letters, digits and _, such as 'location_sdk', that does not begin with a digit or pg_ and is not a reserved word";
