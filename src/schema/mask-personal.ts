import { traitsOf } from './fields.js';
import { printableKey } from './issue.js';
import { isModel, type Model } from './model.js';

const MASK = '[masked]';

/** No report has as many fields, nor as long a text that may be shown; more is left out. */
const MOST_FIELDS = 100;
const LONGEST_TEXT = 1_000;

const cut = (value: unknown) => (typeof value === 'string' && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);

/** A copy of a body in which every personal value is masked, every value that the model does not know, and every name that may be data. */
export function maskPersonal(model: Model, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return MASK;
  return Object.fromEntries(
    Object.entries(body)
      .slice(0, MOST_FIELDS)
      .map(([name, value]) => {
        const field = model.fields[name];
        if (field === undefined) return [printableKey(name), MASK];
        if (isModel(field)) return [name, maskPersonal(field, value)];
        return [name, traitsOf(field).personal || typeof value === 'object' ? MASK : cut(value)];
      }),
  );
}
