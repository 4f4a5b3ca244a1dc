import { expect, test } from 'vitest';
import type { ConsoleOptions } from '../../../src/http/console/console-options.js';
import { readConsoleSettings } from '../../../src/http/console/console-options.js';

const authorize = () => ({ name: 'ada' });

test.each<[string, object, RegExp]>([
  ['authorize is missing', { outbox: {} }, /authorize/],
  ['authorize is not a function', { outbox: {}, authorize: true }, /authorize: .*a function/],
  ['no outbox is given', { authorize }, /outbox: is required: expected what createOutbox returns/],
  ['the outbox is another value', { outbox: 'bets.db', authorize }, /outbox: expected what createOutbox returns/],
  ['readOnly is not a flag', { outbox: {}, authorize, readOnly: 'yes' }, /readOnly: .*true or false/],
  ['an option is misspelt', { outbox: {}, authorize, readonly: true }, /readonly; did you mean readOnly/],
  [
    'an origin has a path',
    { outbox: {}, authorize, allowedOrigins: ['https://ops.example/console'] },
    /allowedOrigins/,
  ],
  ['an origin is not a safe one', { outbox: {}, authorize, allowedOrigins: ['http://ops.example'] }, /allowedOrigins/],
])('it refuses to start where %s', (_, options, message) => {
  expect(() => readConsoleSettings(options as ConsoleOptions)).toThrow(message);
});
