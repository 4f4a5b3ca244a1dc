import { ConfigurationError } from '../../../core/errors/errors.js';
import { asRecord } from '../../../core/platform/as-record.js';

/** A value that is bound to a statement. It is text, so that no library must guess a type. */
export type PostgresValue = string | null;

/**
 * An object that sends statements to PostgreSQL, as its library gives it: a pool or client of `pg`, PGlite, `sql` of
 * `postgres`, the `DataSource` or manager of TypeORM, the instance or transaction of Knex, Kysely, Drizzle or Prisma.
 * Or your own line of code around another library: `query` gets the placeholders `$1`, `$2` and so on, and resolves with
 * the rows, or with an object that has them as `rows`.
 *
 * @example
 * ```ts
 * const database = { query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) };
 * ```
 */
export type PostgresDatabase =
  | {
      /** Sends a statement: `pg`, PGlite, TypeORM, or your own line of code. */
      query(text: string, values: PostgresValue[]): PromiseLike<unknown>;
    }
  | {
      /** Sends a statement: `postgres`. */
      unsafe(text: string, values: PostgresValue[]): PromiseLike<unknown>;
    }
  | {
      /** Sends a statement: Prisma. */
      $queryRawUnsafe(text: string, ...values: PostgresValue[]): PromiseLike<unknown>;
    }
  | {
      /** Sends a query: Kysely. */
      executeQuery(query: never): PromiseLike<unknown>;
    }
  | {
      /** Sends a statement: Knex. */
      raw(text: string, values: PostgresValue[]): PromiseLike<unknown>;
    }
  | {
      /** Sends a query: Drizzle. */
      execute(query: never): PromiseLike<unknown>;
    };

/** A row of a result: columns by name, each as text. */
export type Columns = Readonly<Record<string, string | null>>;

type Method = (...given: unknown[]) => unknown;

/** Sends a statement through a method of a library, and returns its result in the library's shape. */
type Send = (send: Method, text: string, values: readonly PostgresValue[]) => unknown;

const asItIs: Send = (send, text, values) => send(text, values);

/** Each library by the method that sends a statement. The first one that an object has counts. */
const LIBRARIES = {
  /** `pg`, PGlite, TypeORM, and your own line around another library. */
  query: asItIs,
  /** `postgres` */
  unsafe: asItIs,
  /** Prisma */
  $queryRawUnsafe: (send, text, values) => send(text, ...values),
  /** Kysely */
  executeQuery: (send, sql, parameters) =>
    send({ sql, parameters, query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] }, queryId: {} }),
  /** Knex, whose placeholders are question marks. */
  raw(send, text, values) {
    const bound: (PostgresValue | undefined)[] = [];
    const marked = text.replace(/\?|\$(\d+)/g, (found, number?: string) => {
      if (number === undefined) return `\\${found}`;
      bound.push(values[Number(number) - 1]);
      return '?';
    });
    return send(marked, bound);
  },
  /** Drizzle, which takes an object that makes its statement. */
  execute(send, sql, params) {
    const statement = { getSQL: () => statement, toQuery: () => ({ sql, params: [...params] }) };
    return send(statement);
  },
} as const satisfies Readonly<Record<string, Send>>;

/** The method that sends statements through this object. Undefined if it has none that is known. */
function methodOf(value: unknown): keyof typeof LIBRARIES | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const found = Object.keys(LIBRARIES).find((name) => typeof Reflect.get(value, name) === 'function');
  return found as keyof typeof LIBRARIES | undefined;
}

export const sendsStatements = (value: unknown): value is object => methodOf(value) !== undefined;

export async function sendOver(
  database: object,
  text: string,
  values: readonly PostgresValue[],
): Promise<readonly Columns[]> {
  const method = methodOf(database);
  if (method === undefined) throw refuseShape('has no method that sends statements');
  const given = database as unknown as Record<typeof method, Method>;
  const result = await LIBRARIES[method]((...all) => given[method](...all), text, [...values]);
  const found = Array.isArray(result) ? result : asRecord(result).rows;
  // TypeORM returns the rows and their number after a statement that updates or deletes.
  const rows = Array.isArray(found) && Array.isArray(found[0]) && typeof found[1] === 'number' ? found[0] : found;
  if (!Array.isArray(rows)) throw refuseShape('returns no rows');
  return rows;
}

/** Before anything is written: the first statement over an object shows its shape. */
export const refuseShape = (why: string): ConfigurationError =>
  new ConfigurationError(
    `The object that sends statements to PostgreSQL ${why}. Pass the library's own object: a pool or client of pg, sql of postgres, PGlite, the DataSource, manager or QueryRunner of TypeORM, or the instance or transaction of Knex, Kysely, Drizzle or Prisma. Or pass { query: async (text, values) => ({ rows }) } with rows as objects of text. Nothing was enqueued.`,
  );
