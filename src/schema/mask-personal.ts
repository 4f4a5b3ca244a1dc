import { traitsOf } from './fields.js';
import { printableKey } from './issue.js';
import { isModel, type Model } from './model.js';

const MASK = '[masked]';

/** Real reports have fewer fields, and shorter texts that may be shown. The rest is left out. */
const MOST_FIELDS = 100;
const LONGEST_TEXT = 1_000;

const cut = (value: unknown) => (typeof value === 'string' && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);

/** A copy of a body in which every personal value, every value outside the model, and every name that may be data is masked. */
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
