import { describe, expect, it } from 'vitest';
import { suggest } from '../../../src/core/schema/validate.js';

const KNOWN = ['nin', 'payout_amount', 'bet_id'];

describe('a misspelt name gets the nearest known one', () => {
  it.each([
    ['payoutAmount', 'payout_amount'],
    ['PAYOUT AMOUNT', 'payout_amount'],
    ['betid', 'bet_id'],
    ['nim', 'nin'],
  ])('%s with %s', (name, known) => {
    expect(suggest(name, KNOWN)).toBe(known);
  });

  it('the nearest of several', () => {
    expect(suggest('win_amont', ['min_amount', 'win_amount'])).toBe('win_amount');
  });
});

describe('a shortened name gets the only one that it abbreviates', () => {
  const LOCATION = ['latitude', 'longitude', 'city', 'region', 'country', 'accuracy', 'source'];
  it.each([
    ['lat', 'latitude'],
    ['lng', 'longitude'],
    ['lon', 'longitude'],
    ['long', 'longitude'],
    ['acc', 'accuracy'],
  ])('%s with %s', (name, known) => {
    expect(suggest(name, LOCATION)).toBe(known);
  });

  it.each(['la', 'ngt', 'tal', 'lngx'])('%s abbreviates none', (name) => {
    expect(suggest(name, LOCATION)).toBeUndefined();
  });

  it('none of two that it could mean', () => {
    expect(suggest('acc', ['accuracy', 'account'])).toBeUndefined();
  });
});

describe('a name that is near to none gets none', () => {
  it.each(['colour', 'stake', 'xix', 'ni', 'x'.repeat(1000), '', '___'])('%s', (name) => {
    expect(suggest(name, ['gps', 'bet_id', 'payout_amount'])).toBeUndefined();
  });

  it('at a third of its letters, but not more', () => {
    expect(suggest('abcdxy', ['abcdef'])).toBe('abcdef');
    expect(suggest('abcxyz', ['abcdef'])).toBeUndefined();
  });
});
