import { traitsOf } from './fields.js';
import { fieldAt, isModel, type Model } from './model.js';

/** A value that was sent. */
export interface SentValue {
  text: string;
  /** Personal values are masked word by word, too. */
  kind: 'personal' | 'secret' | 'plain';
}

/**
 * Every string and number of a body but the identifiers of the report. A value in a place that the model
 * does not know counts as personal.
 */
export function sentValues(model: Model, body: unknown, path: readonly string[] = []): SentValue[] {
  if (typeof body === 'object' && body !== null) {
    return Object.entries(body).flatMap(([key, value]) => sentValues(model, value, [...path, key]));
  }
  if (typeof body !== 'string' && typeof body !== 'number') return [];
  const field = fieldAt(model, path);
  const { personal = false, reference = false } = field === undefined || isModel(field) ? { personal: true } : traitsOf(field);
  return reference && !personal ? [] : [{ text: String(body), kind: personal ? 'personal' : 'plain' }];
}
