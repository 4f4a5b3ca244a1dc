import type { OperationName } from '../../src/core/protocol/operations.js';
import invalid from './invalid.json';
import valid from './valid.json';

type Payload = Record<string, unknown>;

export interface ValidVector {
  operation: OperationName;
  case: string;
  payload: Payload;
}

export interface InvalidVector extends ValidVector {
  /** The issues that the one `ValidationError` must name. */
  paths: string[];
  /** The values of the payload that no message may repeat. */
  sensitive: string[];
}

const { about: _about, ...validByOperation } = valid;

export const validVectors: ValidVector[] = Object.entries(validByOperation).flatMap(([operation, cases]) =>
  cases.map((vector) => ({ operation: operation as OperationName, ...vector })),
);

/** The first valid payload of an operation, as a copy that a test may change. */
export function validPayload(operation: OperationName): Payload {
  const found = validVectors.find((vector) => vector.operation === operation);
  if (!found) throw new Error(`valid.json has no payload for ${operation}`);
  return structuredClone(found.payload);
}

const SPELT_OUT = new Map<unknown, unknown>([
  ['__NaN__', Number.NaN],
  ['__Infinity__', Number.POSITIVE_INFINITY],
]);

function setAt(target: Payload, path: string[], value: unknown): void {
  const name = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce<Payload>((object, key) => object[key] as Payload, target);
  if (value === '__delete__') delete parent[name];
  else parent[name] = SPELT_OUT.has(value) ? SPELT_OUT.get(value) : value;
}

/** All fields except these are personal: amounts, outcomes, statuses and methods, and the identifiers of reports. */
const SHOWABLE =
  /^(?:bet_id|request_id|withdrawalId|amount|win_amount|payout_amount|payoutAmount|ggr|ur|outcome|status|timestamp|method|residency_status|is_resident|source)$/;
/** Shorter values occur in any sentence by chance. */
const SHORTEST_TELLING = 3;

function sensitiveValues(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, member]) => (SHOWABLE.test(name) ? [] : sensitiveValues(member)));
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text.length < SHORTEST_TELLING ? [] : [text];
}

export const invalidVectors: InvalidVector[] = invalid.cases.map(({ operation: name, change, paths, ...rest }) => {
  const operation = name as OperationName;
  const payload = validPayload(operation);
  for (const [path, value] of Object.entries(change)) setAt(payload, path.split('.'), value);
  return { operation, ...rest, payload, paths, sensitive: sensitiveValues(payload) };
});
