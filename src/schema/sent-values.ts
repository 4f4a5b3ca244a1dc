import { asRecord } from '../platform/as-record.js';
import { type Field, traitsOf } from './fields.js';
import { isModel, type Model } from './model.js';

/** A value that was sent. */
export interface SentValue {
  text: string;
  /** Personal values are also masked word by word. */
  kind: 'personal' | 'secret' | 'plain';
}

/** Every string and number of a body except the report's identifiers. A value outside the model counts as personal. */
export function sentValues(field: Field | Model | undefined, value: unknown, found: SentValue[] = []): SentValue[] {
  const model = field && isModel(field) && field;
  if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) sentValues(model ? model.fields[key] : field, asRecord(value)[key], found);
  } else if (typeof value === 'string' || typeof value === 'number') {
    const { personal = false, reference = false } = !field || model ? { personal: true } : traitsOf(field as Field);
    if (!reference || personal) found.push({ text: String(value), kind: personal ? 'personal' : 'plain' });
  }
  return found;
}
