import fc from 'fast-check';
import { type Bad, CANARY, fails, hostile, made, neverAValue, wrongFor, wrongOptions } from './bad-values.js';

type Members = Record<string, unknown>;

export interface BadCall {
  payload: unknown;
  options?: unknown;
}

/** One path of a payload. */
interface Place {
  path: readonly string[];
  value: unknown;
}

function placesOf(value: unknown, path: readonly string[] = []): Place[] {
  const isObject = typeof value === 'object' && value !== null;
  return [
    { path, value },
    ...(isObject ? Object.entries(value).flatMap(([name, member]) => placesOf(member, [...path, name])) : []),
  ];
}

const at = (root: unknown, path: readonly string[]): Members =>
  path.reduce<Members>((object, name) => object[name] as Members, root as Members);

/** Sets an own member, for any name. */
const put = (target: Members, name: string, descriptor: PropertyDescriptor) =>
  Object.defineProperty(target, name, { enumerable: true, configurable: true, ...descriptor });

/** A name that no object of any report has. */
const unknownName = fc.oneof(
  fc.string().map((text) => `x${text}`),
  fc.constantFrom(
    'payoutAmount',
    'NIN',
    'Amount',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
    'then',
    'toJSON',
    '',
    ' bet_id',
    `${CANARY} 7`,
  ),
);
const pollutingName = fc.constantFrom('__proto__', 'constructor', 'prototype');
const anything = fc.anything({ maxDepth: 1 });

const later = <T>(values: fc.Arbitrary<T>, make: (value: T) => BadCall): fc.Arbitrary<() => BadCall> =>
  values.map((value) => () => make(value));

/** A valid payload with invalid options. */
export const badOptions = (payload: Members): fc.Arbitrary<() => BadCall> =>
  later(wrongOptions, (make) => ({ payload: structuredClone(payload), options: make() }));

/** A function that returns a valid payload with one mistake. */
export function badPayloads(payload: Members): fc.Arbitrary<() => BadCall> {
  const { fields, required, members, objects, closed } = sortPlaces(payload);
  const place = (places: readonly Place[]) => fc.constantFrom(...places);

  const change = (path: readonly string[], how: (parent: Members, name: string) => void): BadCall => {
    const changed = structuredClone(payload);
    how(at(changed, path.slice(0, -1)), path.at(-1) ?? '');
    return { payload: changed };
  };
  const replace = ({ path }: Place, descriptor: PropertyDescriptor) =>
    change(path, (parent, name) => put(parent, name, descriptor));
  const remove = ({ path }: Place) => change(path, (parent, name) => delete parent[name]);
  const add = ({ path }: Place, name: string, value: unknown) =>
    change([...path, name], (parent) => put(parent, name, { value }));

  const wrongly = place(fields).chain((field) =>
    fc.tuple(fc.constant(field), wrongFor(field.path.at(-1) ?? '', field.value)),
  );
  const noPayload: Bad = fc.oneof(neverAValue, hostile, made(fc.constantFrom(undefined, CANARY, 7, true, {})));
  return fc.oneof(
    { weight: 6, arbitrary: later(wrongly, ([field, make]) => replace(field, { value: make() })) },
    later(fc.tuple(place(members), neverAValue), ([member, make]) => replace(member, { value: make() })),
    later(place(required), remove),
    later(place(required), (field) => replace(field, { value: undefined })),
    later(place(members), (member) => replace(member, { get: fails })),
    later(fc.tuple(place(closed), unknownName, anything), ([object, name, value]) =>
      add(object, name, value ?? CANARY),
    ),
    later(fc.tuple(place(objects), pollutingName, anything), ([object, name, value]) => add(object, name, value)),
    later(noPayload, (make) => ({ payload: make() })),
  );
}

/** Fields that the SDK adds, and optional fields of a location. */
const MAY_LACK = /^(?:timestamp|location|location\.(?:city|region|country|accuracy))$/;

/** The paths at which each mistake is possible. */
function sortPlaces(payload: Members) {
  /** The metadata of a bet is optional, and its names and values are free. */
  const isFree = ({ path }: Place) => path[0] === 'metadata' && 'bet_id' in payload;
  const places = placesOf(payload);
  const members = places.filter(({ path }) => path.length > 0);
  const objects = places.filter(({ value }) => typeof value === 'object');
  return {
    members,
    fields: members.filter((member) => !isFree(member) || member.path.length === 1),
    required: members.filter((member) => !isFree(member) && !MAY_LACK.test(member.path.join('.'))),
    objects,
    closed: objects.filter((object) => !isFree(object)),
  };
}
