import { describe, expect, it } from 'vitest';
import { readNetworkFailure } from '../../src/delivery/network-failure.js';
import { broken } from './scripted-gateway.js';

const several = (...codes: string[]) =>
  new TypeError('fetch failed', { cause: new AggregateError(codes.map((code) => Object.assign(new Error(code), { code }))) });

describe('a request certainly never left', () => {
  it.each(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])('after %s', (code) => {
    expect(readNetworkFailure(broken(code), false)).toMatchObject({ code, notSent: true, certificate: false });
  });

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
    'after %s, and another attempt would not help',
    (code) => {
      expect(readNetworkFailure(broken(code), false)).toMatchObject({ code, notSent: true, certificate: true });
    },
  );

  it('after a code that is no text but reads as one', () => {
    expect(readNetworkFailure({ code: { toString: () => 'ECONNREFUSED' } }, false)).toMatchObject({ code: 'ECONNREFUSED', notSent: true });
  });

  it('where every address refused', () => {
    expect(readNetworkFailure(several('ECONNREFUSED', 'ENETUNREACH'), false)).toMatchObject({ notSent: true });
  });

  it('to a port that fetch does not open', async () => {
    const error = await fetch('http://127.0.0.1:1/').catch((thrown: unknown) => thrown);
    expect(readNetworkFailure(error, false)).toMatchObject({ notSent: true, code: 'bad port' });
  });
});

describe('a request may have left', () => {
  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT', 'SOMETHING_NEW'])('after %s', (code) => {
    expect(readNetworkFailure(broken(code), false)).toMatchObject({ code, notSent: false });
  });

  it('where one of several addresses did more than refuse', () => {
    expect(readNetworkFailure(several('ECONNREFUSED', 'ECONNRESET'), false)).toMatchObject({ notSent: false });
  });

  it('in a browser, always', () => {
    expect(readNetworkFailure(broken('ECONNREFUSED'), true)).toMatchObject({ notSent: false, certificate: false });
  });

  it.each([undefined, null, 'text', 42, new Error('no cause')])('after %s was thrown, which has no code', (thrown) => {
    expect(readNetworkFailure(thrown, false)).toEqual({ code: undefined, notSent: false, certificate: false });
  });

  it('where the error cannot be read', () => {
    const hostile = new Proxy(new Error('x'), {
      get() {
        throw new Error('no');
      },
    });
    expect(readNetworkFailure(hostile, false)).toEqual({ code: undefined, notSent: false, certificate: false });
  });

  it('where causes go round in a circle', () => {
    const error = new Error('round');
    error.cause = error;
    expect(readNetworkFailure(error, false).notSent).toBe(false);
  });
});

it('a code that could be data is not shown', () => {
  expect(readNetworkFailure(broken('key-1 99012345678'), false).code).toBeUndefined();
});
