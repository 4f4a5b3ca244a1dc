import { asRecord, isRecord } from '../platform/as-record.js';
import { cut, MASK } from '../platform/messages.js';
import type { Field } from './fields.js';
import { printableKey } from './issue.js';
import { location } from './location.js';
import { isModel, type Model } from './model.js';

export interface SentValue {
  text: string;
  /** Personal values are also masked word by word. */
  kind: 'personal' | 'secret' | 'plain';
  /** A personal value other than a name, such as an address: the words of rules in it alone tell nothing. */
  composed?: boolean;
}

/** Every string and number of a body except the report's identifiers. A value outside the model counts as personal. */
export function sentValues(field: Field | Model | undefined, value: unknown, isName = true): SentValue[] {
  const model = field && isModel(field) && field;
  if (typeof value !== 'string' && typeof value !== 'number')
    return Object.entries(asRecord(value)).flatMap(([key, inner]) =>
      model
        ? sentValues(model.fields[key] ?? (key === 'location' ? location : undefined), inner, /_name$/.test(key))
        : sentValues(field, inner),
    );
  const text = String(value);
  if (!field || isModel(field)) return [{ text, kind: 'personal' }];
  if (field.personal) return [{ text, kind: 'personal', ...(!isName && { composed: true }) }];
  return field.reference ? [] : [{ text, kind: 'plain' }];
}

export interface Sent {
  readonly identifiers: readonly string[];
  readonly values: readonly string[];
  readonly keys: readonly string[];
  /** The noun of the reports that this one is not. */
  readonly otherNoun: 'bet' | 'withdrawal';
}

export const identifiersOf = ({ fields }: Model, body: unknown): string[] =>
  Object.entries(body ?? {})
    .filter(([name, value]) => typeof value === 'string' && isIdentifier(fields[name]))
    .map(([, value]) => value);

export const isIdentifier = (field: Model['fields'][string] | undefined): boolean =>
  field !== undefined && !isModel(field) && field.reference === true;

export const sentOf = (model: Model, body: unknown): Sent => ({
  identifiers: identifiersOf(model, body),
  values: sentValues(model, body).map(({ text }) => text),
  keys: keysOf(model, body),
  otherNoun: model.fields.bet_id ? 'withdrawal' : 'bet',
});

const keysOf = (model: Model | undefined, body: unknown): string[] =>
  typeof body !== 'object' || body === null
    ? []
    : Object.entries(body).flatMap(([name, value]) => [
        ...(isIdentifier(model?.fields[name]) ? [] : [name]),
        ...keysOf(undefined, value),
      ]);

/** Real reports have fewer fields, and shorter texts that may be shown. The rest is left out. */
const MOST_FIELDS = 100;
const LONGEST_TEXT = 1_000;

const shortened = (value: unknown) => (typeof value === 'string' ? cut(value, LONGEST_TEXT) : value);

/** Every personal value, every value outside the model, and every name that may be data is masked. */
export function maskPersonal(model: Model, body: unknown): unknown {
  if (!isRecord(body)) return MASK;
  return Object.fromEntries(
    Object.entries(body)
      .slice(0, MOST_FIELDS)
      .map(([name, value]) => {
        const field = model.fields[name];
        if (field === undefined) return [printableKey(name), MASK];
        if (isModel(field)) return [name, maskPersonal(field, value)];
        return [name, field.personal || typeof value === 'object' ? MASK : shortened(value)];
      }),
  );
}
