import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isReportingError } from '../../../src/core/errors/errors.js';
import { isStoreError, StoreError } from '../../../src/core/errors/store-error.js';

describe('isStoreError', () => {
  it('recognises the errors of another copy of the package', () => {
    const foreign = Object.defineProperty(new Error('from elsewhere'), Symbol.for('location-sdk.store-error'), {
      value: true,
    });
    expect([new StoreError('busy', 'locked'), foreign].map(isStoreError)).toEqual([true, true]);
  });

  it.each([undefined, null, 'text', new Error('no'), { name: 'StoreError', code: 'corrupt' }])(
    'does not recognise %s',
    (value) => expect(isStoreError(value)).toBe(false),
  );
});

describe('a StoreError', () => {
  it('concerns one report if the store cannot hold it, and the store otherwise', () => {
    expect(new StoreError('text', 'a NUL').concerns).toBe('row');
    expect(new StoreError('other', 'failed', { sqlState: 'XX000' }).concerns).toBe('row');
    expect(new StoreError('other', 'failed', { sqlState: 'LS003', concerns: 'store' }).concerns).toBe('store');
    expect(new StoreError('full', 'no room').concerns).toBe('store');
  });

  it('prints its code, and keeps its cause', () => {
    const cause = new Error('of the library');
    const error = new StoreError('io', 'the disk failed', { cause });
    expect(inspect(error)).toMatch(/^StoreError: the disk failed\n(.*\n)*.*code: 'io'/);
    expect(error).toMatchObject({ name: 'StoreError', code: 'io', sqlState: undefined, cause });
    expect(Object.keys(new StoreError('busy', 'locked'))).not.toContain('cause');
    expect(isReportingError(error)).toBe(false);
  });
});
