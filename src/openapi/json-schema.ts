import { toJSONSchema } from 'zod/mini';
import { type Field, traitsOf } from '../schema/fields.js';
import { isModel, type Model, type ValidationMode } from '../schema/model.js';
import { FIELD_WORDS } from './words.js';

export type JsonObject = { [name: string]: unknown };

/**
 * The rules that JSON Schema cannot derive from a field, by the text that completes "expected …" in `schema/fields.ts`.
 * They are kept here, so that a page that loads the SDK does not load them. A test compares the verdicts.
 */
const RULES: Readonly<Record<string, JsonObject>> = {
  'a string that is not empty or blank': { minLength: 1, pattern: '\\S' },
  'a number from -90 to 90': { minimum: -90, maximum: 90 },
  'a number from -180 to 180': { minimum: -180, maximum: 180 },
  'an amount of at most 9007199254740991 (a larger number is not exact)': {
    minimum: -Number.MAX_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  'a string of exactly 11 digits (a number would lose leading zeros)': { minLength: 11, maxLength: 11, pattern: '^[0-9]{11}$' },
  'Unix seconds as a string of at most 10 digits, or a Date': { minLength: 1, maxLength: 10, pattern: '^[0-9]{1,10}$' },
  'at most the last 4 digits; this looks like a whole account number': { not: { pattern: '(?:\\p{Nd}\\P{Nd}*){5}' } },
};

/** Names that could change how objects behave. They are refused in every mode. */
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

const FREE_FORM = { type: 'object', propertyNames: { not: { enum: FORBIDDEN } }, additionalProperties: { type: ['string', 'number', 'boolean'] } };

/** A schema as plain JSON Schema 2020-12, as `toJSONSchema` makes it. */
export function plainSchema(field: Field): JsonObject {
  const { $schema: _dialect, ...schema } = toJSONSchema(field) as JsonObject;
  return schema;
}

/** The text in which a field's checks say what they expect. */
const expectations = (field: Field): string[] =>
  (field._zod.def.checks ?? []).map(({ _zod }) => {
    const said = _zod.def.error?.({ code: 'custom', input: '', path: [] } as never);
    return typeof said === 'string' ? said : String(said?.message);
  });

function fieldSchema(field: Field): JsonObject {
  if (field._zod.def.type === 'object') return FREE_FORM;
  const rules = expectations(field).map((text) => {
    const rule = RULES[text];
    if (!rule) throw new Error(`JSON Schema has no rule for "${text}": add it to RULES in src/openapi/json-schema.ts.`);
    return rule;
  });
  return Object.assign(plainSchema(field), ...rules);
}

/** Collects the models of a document, each once. */
export interface SchemaBox {
  /** Returns a reference to a model. The fields `extra` are added to it. */
  refer(model: Model, name: string, description: string, extra?: { properties: JsonObject; required: readonly string[] }): JsonObject;
  readonly schemas: JsonObject;
}

export function createSchemaBox(mode: ValidationMode): SchemaBox {
  const schemas: JsonObject = {};
  const names = new Map<Model, string>();

  const describe = (name: string, field: Field | Model, within: string): JsonObject => {
    const description = FIELD_WORDS[name];
    const said = description === undefined ? {} : { description };
    if (isModel(field)) return { ...refer(field, within + name[0]?.toUpperCase() + name.slice(1), description ?? name), ...said };
    return { ...fieldSchema(field), ...said, ...(traitsOf(field).personal && { 'x-personal-data': true }) };
  };

  const refer: SchemaBox['refer'] = (model, name, description, extra) => {
    const known = names.get(model);
    if (known) return { $ref: `#/components/schemas/${known}` };
    names.set(model, name);
    const properties = Object.fromEntries(Object.entries(model.fields).map(([field, type]) => [field, describe(field, type, name)]));
    const { required = [] } = plainSchema(model[mode]) as { required?: string[] };
    schemas[name] = {
      type: 'object',
      description,
      properties: { ...properties, ...extra?.properties },
      required: [...required, ...(extra?.required ?? [])],
      ...(mode === 'strict' ? { additionalProperties: false } : { propertyNames: { not: { enum: FORBIDDEN } } }),
    };
    return { $ref: `#/components/schemas/${name}` };
  };

  return { refer, schemas };
}
