import { traitsOf } from './fields.js';
import { isModel, type Model } from './model.js';

const MASK = '[masked]';

/** A copy of a body in which every personal value is masked, and every value that the model does not know. */
export function maskPersonal(model: Model, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return MASK;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const field = model.fields[name];
      if (field === undefined) return [name, MASK];
      if (isModel(field)) return [name, maskPersonal(field, value)];
      return [name, traitsOf(field).personal || typeof value === 'object' ? MASK : value];
    }),
  );
}
