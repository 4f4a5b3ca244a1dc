import { traitsOf } from './fields.js';
import { isModel, type Model } from './model.js';
import { sentValues } from './sent-values.js';

/** The contents of a report that its gateway may repeat. */
export interface Sent {
  /** The identifiers of the report itself. */
  readonly identifiers: readonly string[];
  /** All other values. */
  readonly values: readonly string[];
  /** All names except those of the identifiers. */
  readonly keys: readonly string[];
}

/** The values of a body's own identifiers, for example its `bet_id`. */
export const identifiersOf = ({ fields }: Model, body: unknown): string[] =>
  Object.entries(body ?? {})
    .filter(([name, value]) => typeof value === 'string' && isIdentifier(fields[name]))
    .map(([, value]) => value);

const isIdentifier = (field: Model['fields'][string] | undefined): boolean => field !== undefined && !isModel(field) && traitsOf(field).reference === true;

/** The identifiers, values and names of a body. */
export const sentOf = (model: Model, body: unknown): Sent => ({
  identifiers: identifiersOf(model, body),
  values: sentValues(model, body).map(({ text }) => text),
  keys: keysOf(model, body),
});

const keysOf = (model: Model | undefined, body: unknown): string[] =>
  typeof body !== 'object' || body === null
    ? []
    : Object.entries(body).flatMap(([name, value]) => [...(isIdentifier(model?.fields[name]) ? [] : [name]), ...keysOf(undefined, value)]);
