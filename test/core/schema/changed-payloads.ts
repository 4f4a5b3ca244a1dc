import fc from 'fast-check';

type Members = Record<string, unknown>;

type Change = (parent: Members, name: string) => void;

const define = (target: Members, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });

const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'betId', 'Amount', 'timestamp', 'bet_id', 'x y', '0', ''];
const ODD_VALUES = [
  undefined,
  null,
  '',
  ' ',
  '12345678901',
  '1795162000000',
  '12345',
  0,
  -0,
  91,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  true,
  [],
  {},
  () => {},
  5n,
  new Date(0),
];
const anyValue = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...ODD_VALUES) },
  fc.jsonValue({ maxDepth: 2 }),
  fc.anything({ maxDepth: 1 }),
);
const anyName = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string());

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>((parent, name) => delete parent[name]),
  anyValue.map(
    (value): Change =>
      (parent, name) =>
        define(parent, name, value),
  ),
  fc.tuple(anyName, anyValue).map(
    ([added, value]): Change =>
      (parent) =>
        define(parent, added, value),
  ),
  // Inherited members are also read and listed.
  fc.tuple(anyName, anyValue).map(
    ([added, value]): Change =>
      (parent) =>
        Object.setPrototypeOf(parent, define({}, added, value)),
  ),
);

const copy = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]))
    : value;

/** One of the samples, changed in up to three places. */
export const changed = (samples: readonly object[]) =>
  fc
    .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(fc.nat(), change), { maxLength: 3 }))
    .map(([sample, changes]) => {
      const root = { root: copy(sample) };
      for (const [index, make] of changes) {
        const places: [Members, string][] = [];
        const walk = (parent: Members) => {
          for (const [name, member] of Object.entries(parent)) {
            places.push([parent, name]);
            if (typeof member === 'object' && member !== null && Object.getPrototypeOf(member) === Object.prototype)
              walk(member as Members);
          }
        };
        walk(root);
        const [parent, name] = places[index % places.length] ?? [root, 'root'];
        make(parent, name);
      }
      return root.root;
    });
