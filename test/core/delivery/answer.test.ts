import { describe, expect, it } from 'vitest';
import { isDuplicate, isRecorded, messageOf } from '../../../src/core/delivery/answer.js';
import type { Sent } from '../../../src/core/schema/sent.js';

describe('the message of an answer', () => {
  it.each([
    ['a message', { message: 'no such bet', error: 'Not Found' }, 'no such bet'],
    ['an error alone', { error: 'Not Found' }, 'Not Found'],
    ['a blank message beside an error', { message: ' ', error: 'Not Found' }, 'Not Found'],
    ['a message that is an object', { message: { text: 'no' }, error: 'Not Found' }, 'Not Found'],
    ['a list', { message: ['ur is empty', 'ggr is missing'], error: 'Bad Request' }, 'ur is empty; ggr is missing'],
    ['a list with other values', { message: ['ur is empty', 7, null, { deep: 'x' }] }, 'ur is empty'],
    ['a list without texts', { message: [7], error: 'Bad Request' }, undefined],
    ['neither', { message: 7 }, undefined],
    ['blank texts', { message: '', error: '  ' }, undefined],
    ['no object', 'no', undefined],
    ['nothing', null, undefined],
  ])('is read from %s', (_, body, message) => {
    expect(messageOf(body)).toBe(message);
  });
});

describe('an answer of success', () => {
  const isSuccess = (body: unknown, status = 200) => isRecorded({ status, body, json: true });

  it.each([
    ['nothing', undefined],
    ['a message', { message: 'done' }],
    ['a list', ['done']],
    ['success: true', { success: true }],
    ['no error', { error: null }],
    ['a false error', { error: false }],
    ['an empty error', { error: '' }],
    ['an error without members', { error: {} }],
    ['a status of success', { statusCode: 201 }],
    ['a status below 400', { statusCode: 399 }],
    ['a status that is not a number', { statusCode: 'fine' }],
  ])('with %s means recorded', (_, body) => {
    expect(isSuccess(body)).toBe(true);
  });

  it.each([
    ['success: false', { success: false }],
    ['an error in words', { error: 'Oops' }],
    ['an error that is an object', { error: { message: '' } }],
    ['a true error', { error: true }],
    ['an error of zero', { error: 0 }],
    ['a status of 400', { statusCode: 400 }],
    ['a status as text', { statusCode: '500' }],
  ])('with %s does not', (_, body) => {
    expect(isSuccess(body)).toBe(false);
  });

  it('that is partial, or not JSON, does not', () => {
    expect(isSuccess({ message: 'done' }, 206)).toBe(false);
    expect(isRecorded({ status: 200, body: { message: 'done' }, json: false })).toBe(false);
  });
});

describe('a refusal', () => {
  const SAME = 'This bet has already been reported';
  const OTHER = 'This bet has already been reported with different data';
  const none: Sent = { identifiers: [], keys: [], values: [], otherNoun: 'withdrawal' };
  const judge = (body: unknown, { status = 409, json = true } = {}) => isDuplicate({ status, body, json }, () => none);

  it.each([200, 400, 409, 422])('with status %i can say that the report was reported before', (status) => {
    expect(judge({ message: SAME }, { status })).toBe('same');
    expect(judge({ message: OTHER }, { status })).toBe('conflict');
    expect(judge({ message: 'The bet is not known' }, { status })).toBe(false);
  });

  it.each([302, 401, 404, 408, 410, 500])('with status %i says nothing of the kind, for any words', (status) => {
    expect(judge({ message: SAME }, { status })).toBe(false);
  });

  it('that is not JSON says nothing of the kind', () => {
    expect(judge({ message: SAME }, { json: false })).toBe(false);
  });

  it('is not a duplicate if other words of it deny that, or if the gateway has not decided', () => {
    expect(judge({ message: SAME, detail: 'The report was not recorded' })).toBe(false);
    expect(judge({ message: OTHER, detail: 'The bet is being processed, try again' })).toBe(false);
  });

  it('is neither if the word for other data was sent, since it may be the word of either', () => {
    for (const [value, said] of [
      ['different', 'The data is different'] as const,
      ['other', 'It has other data'] as const,
    ]) {
      const body = { message: `${SAME}. ${said}.` };
      expect(judge(body)).toBe('conflict');
      expect(isDuplicate({ status: 409, body, json: true }, () => ({ ...none, values: [value] }))).toBe(false);
    }
  });

  it('may say so in any text, at any depth, but not in the name of a member', () => {
    expect(judge(SAME)).toBe('same');
    expect(judge({ errors: [null, 7, { reason: [{ code: 'DUPLICATE_REPORT' }] }] })).toBe('same');
    expect(judge({ duplicateReport: true, status: null })).toBe(false);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['numbers', { statusCode: 409, deep: [1, null] }],
  ])('without words proves nothing: %s', (_, body) => {
    let asked = false;
    const sent = () => {
      asked = true;
      return none;
    };
    expect(isDuplicate({ status: 409, body, json: true }, sent)).toBe(false);
    expect(asked).toBe(false);
  });

  it('reads the report only if its words could say so', () => {
    const sent = () => {
      throw new Error('the report was read');
    };
    expect(isDuplicate({ status: 404, body: { message: SAME }, json: true }, sent)).toBe(false);
    expect(isDuplicate({ status: 409, body: { message: SAME }, json: false }, sent)).toBe(false);
    expect(isDuplicate({ status: 409, body: { message: SAME, more: 'a'.repeat(5_000) }, json: true }, sent)).toBe(
      false,
    );
  });

  it('is read up to 4,096 characters and 1,000 values', () => {
    const letters = 4_096 - SAME.length;
    expect(judge([SAME, 'a'.repeat(letters)])).toBe('same');
    expect(judge([SAME, 'a'.repeat(letters + 1)])).toBe(false);
    // The list and its text are values too.
    expect(judge([SAME, ...Array(998).fill(0)])).toBe('same');
    expect(judge([SAME, ...Array(999).fill(0)])).toBe(false);
  });
});
