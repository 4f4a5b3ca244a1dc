/**
 * In the script-tag file this stands in for zod, of which a page's models use little: the same values, the same issues in
 * the same order, the same reads of what is checked. `test/schema/zod-stand-in.test.ts` compares the two.
 */

interface Issue {
  code: 'invalid_type' | 'unrecognized_keys' | 'custom';
  path: PropertyKey[];
  message: string;
  keys?: string[];
}

/** What is checked, and what was found in it so far. */
interface Payload {
  value: unknown;
  issues: Issue[];
}

type Check = (payload: Payload) => void;

/** The text that completes "expected …", or what makes it. */
type Expected = string | { error: (issue: { input: unknown }) => string };

interface Schema {
  readonly isOptional: boolean;
  run(value: unknown): Payload;
  /** More checks, each made where the value is of the right type: of an object, where it has no issue at all. */
  check(...checks: Check[]): Schema;
}

const schema = (isType: Check, checks: readonly Check[] = [], isOptional = false): Schema => ({
  isOptional,
  run(value) {
    const payload: Payload = { value, issues: [] };
    isType(payload);
    if (payload.issues.length === 0) for (const check of checks) check(payload);
    return payload;
  },
  check: (...more) => schema(isType, [...checks, ...more], isOptional),
});

const find = ({ issues }: Payload, code: Issue['code'], message: string, path: PropertyKey[] = []) => issues.push({ code, path, message });

const typeOf = (holds: (value: unknown) => boolean) => (expected: string) =>
  schema((payload) => {
    if (!holds(payload.value)) find(payload, 'invalid_type', expected);
  });

const string = typeOf((value) => typeof value === 'string');
const number = typeOf(Number.isFinite);
const boolean = typeOf((value) => typeof value === 'boolean');

const check = (made: Check) => made;

const refine =
  (holds: (value: never) => boolean, expected: Expected): Check =>
  (payload) => {
    const input = payload.value;
    if (!holds(input as never)) find(payload, 'custom', typeof expected === 'string' ? expected : expected.error({ input }));
  };

const custom = (holds: (value: unknown) => boolean, expected: string) => schema(refine(holds, expected));

const optional = (inner: Schema) =>
  schema(
    (payload) => {
      if (payload.value !== undefined) Object.assign(payload, inner.run(payload.value));
    },
    [],
    true,
  );

const anything = schema(() => {});

/** Of members that it does not know, a strict object complains; a loose one keeps them, but for one that would set the copy's prototype. */
const object = (isStrict: boolean) => (shape: Record<string, Schema>, expected: string) =>
  schema((payload) => {
    const { value: input, issues } = payload;
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      find(payload, 'invalid_type', expected);
      return;
    }
    const copy: Record<string, unknown> = {};
    const take = (key: string, field: Schema) => {
      const { value, issues: found } = field.run((input as typeof copy)[key]);
      const isThere = key in input;
      if (!isThere && field.isOptional) return;
      issues.push(...found.map((issue) => ({ ...issue, path: [key, ...issue.path] })));
      // Only a proxy gives what it says it has not.
      if (!isThere && found.length === 0) find(payload, 'invalid_type', 'Invalid input', [key]);
      copy[key] = value;
    };
    for (const [key, field] of Object.entries(shape)) take(key, field);
    const known = Object.keys(shape);
    const keys: string[] = [];
    for (const key in input) {
      if (known.includes(key)) continue;
      if (isStrict) keys.push(key);
      else if (key !== '__proto__') take(key, anything);
    }
    if (keys.length > 0) issues.push({ code: 'unrecognized_keys', path: [], message: expected, keys });
    payload.value = copy;
  });

const strictObject = object(true);
const looseObject = object(false);

function safeParse(model: Schema, value: unknown) {
  const { value: data, issues } = model.run(value);
  return issues.length > 0 ? { success: false, error: { issues } } : { success: true, data };
}

export const z = { boolean, check, custom, looseObject, number, optional, refine, safeParse, strictObject, string };
