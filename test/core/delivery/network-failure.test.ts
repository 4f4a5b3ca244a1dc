import { describe, expect, it } from 'vitest';
import { BROWSER_PAGE } from '../../../src/core/delivery/fetch-transport.js';
import {
  certificateAdvice,
  describeFailure,
  readBroken,
  readNetworkFailure,
} from '../../../src/core/delivery/network-failure.js';
import { broken } from './scripted-gateway.js';

const withCode = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });
const several = (...errors: (string | Error)[]) =>
  new TypeError('fetch failed', {
    cause: new AggregateError(errors.map((error) => (typeof error === 'string' ? withCode(error) : error))),
  });
/** An error at the end of a chain of causes of this length. */
const deep = (causes: number, error: unknown): unknown =>
  causes === 0 ? error : new Error('further down', { cause: deep(causes - 1, error) });
const listed = (lists: number, error: unknown): unknown =>
  lists === 0 ? error : { errors: [listed(lists - 1, error)] };
const tunnel = (words: string) => new TypeError('fetch failed', { cause: new Error(words) });

describe('a request was certainly not sent', () => {
  it.each([
    'ECONNREFUSED',
    'UND_ERR_CONNECT_TIMEOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EHOSTDOWN',
    'ENETDOWN',
    'EADDRNOTAVAIL',
    'TRANSPORT_CLOSED',
    'KY_NOT_LOADED',
  ])('after %s', (code) => {
    expect(readNetworkFailure(broken(code))).toEqual({ code, notSent: true, certificate: false });
  });

  it.each([
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HOSTNAME_MISMATCH',
    'INVALID_CA',
    'PATH_LENGTH_EXCEEDED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('after %s, and another attempt would not help', (code) => {
    expect(readNetworkFailure(broken(code))).toEqual({ code, notSent: true, certificate: true });
  });

  it('after a code that is not a string but converts to one', () => {
    expect(readNetworkFailure({ code: { toString: () => 'ECONNREFUSED' } })).toMatchObject({
      code: 'ECONNREFUSED',
      notSent: true,
    });
  });

  it('if every address refused', () => {
    expect(readNetworkFailure(several('ECONNREFUSED', 'ENETUNREACH'))).toMatchObject({ notSent: true });
  });

  it('if connecting failed, for any other text of the error about its system call', () => {
    expect(readNetworkFailure(withCode('ECONNREFUSED', { syscall: 42 })).notSent).toBe(true);
  });

  it('if the transport says so', () => {
    const error = new Error('cancelled in the queue');
    expect(readBroken(error, false, true)).toMatchObject({ notSent: true, retryable: true });
    expect(readBroken(error, false)).toMatchObject({ notSent: false, retryable: true });
    expect(BROWSER_PAGE.readBroken(error, false)).toMatchObject({ notSent: false, retryable: true });
  });

  it('if a proxy refused the tunnel', () => {
    expect(readNetworkFailure(tunnel('Proxy response (407) !== 200 when HTTP Tunneling'))).toEqual({
      code: 'proxy 407',
      notSent: true,
      certificate: false,
    });
  });

  it('to a port that fetch does not open', async () => {
    const error = await fetch('http://127.0.0.1:1/').catch((thrown: unknown) => thrown);
    expect(readNetworkFailure(error)).toMatchObject({ notSent: true, code: 'bad port' });
  });

  it('as the last of five causes shows, and no deeper one is read', () => {
    expect(readNetworkFailure(deep(5, withCode('ECONNREFUSED')))).toMatchObject({
      code: 'ECONNREFUSED',
      notSent: true,
    });
    expect(readNetworkFailure(deep(6, withCode('ECONNREFUSED')))).toMatchObject({ code: undefined, notSent: false });
    expect(readNetworkFailure(deep(3, several('ECONNREFUSED')))).toMatchObject({ code: 'ECONNREFUSED', notSent: true });
    expect(readNetworkFailure(deep(4, several('ECONNREFUSED')))).toMatchObject({ code: undefined, notSent: false });
    expect(readNetworkFailure(listed(5, withCode('ECONNREFUSED')))).toMatchObject({
      code: 'ECONNREFUSED',
      notSent: true,
    });
    expect(readNetworkFailure(listed(6, withCode('ECONNREFUSED')))).toMatchObject({ code: undefined, notSent: false });
  });
});

describe('a request may have been sent', () => {
  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT', 'SOMETHING_NEW'])(
    'after %s',
    (code) => {
      expect(readNetworkFailure(broken(code))).toEqual({ code, notSent: false, certificate: false });
    },
  );

  it.each(['X_ECONNREFUSED', 'ECONNREFUSED_X', 'X_CERT_HAS_EXPIRED', 'X_TRANSPORT_CLOSED', 'TRANSPORT_CLOSED_X'])(
    'after %s, which only resembles a proof',
    (code) => {
      expect(readNetworkFailure(broken(code))).toEqual({ code, notSent: false, certificate: false });
    },
  );

  it.each([
    'The upstream said: Proxy response (407) !== 200 when HTTP Tunneling',
    'Proxy response (407) !== 200 when HTTP Tunneling, then it broke',
    'Proxy response (4) !== 200 when HTTP Tunneling',
    'Proxy response (abc) !== 200 when HTTP Tunneling',
    'a bad port',
  ])('after the message "%s", which is not a proof', (words) => {
    expect(readNetworkFailure(tunnel(words))).toEqual({ code: undefined, notSent: false, certificate: false });
  });

  it.each(['proxy 40', 'proxy 4077', 'a proxy 407', 'proxy abc', 'bad ports', 'a bad port'])(
    'after the code "%s", which is not shown',
    (code) => {
      expect(readNetworkFailure(withCode(code))).toEqual({ code: undefined, notSent: false, certificate: false });
    },
  );

  it('if one of several addresses did more than refuse', () => {
    expect(readNetworkFailure(several('ECONNREFUSED', 'ECONNRESET'))).toMatchObject({ notSent: false });
    expect(readNetworkFailure(several('CERT_HAS_EXPIRED', 'ECONNRESET'))).toMatchObject({
      notSent: false,
      certificate: false,
    });
  });

  it('if one of several addresses was connected', () => {
    const refused = withCode('ECONNREFUSED', { syscall: 'connect' });
    expect(readNetworkFailure(several(refused, withCode('EHOSTUNREACH', { syscall: 'read' })))).toMatchObject({
      notSent: false,
    });
    expect(readNetworkFailure(several(refused, withCode('ENOTFOUND', { syscall: 'getaddrinfo' })))).toMatchObject({
      notSent: true,
    });
    for (const syscall of ['connect', 'getaddrinfo', 'queryA', 'queryAaaa'])
      expect(readNetworkFailure(withCode('EODD', { syscall }))).toMatchObject({ notSent: true });
    for (const syscall of ['connections', 'reconnect', 'read', 'write'])
      expect(readNetworkFailure(withCode('ECONNREFUSED', { syscall }))).toMatchObject({ notSent: false });
  });

  it.each([null, undefined])('if one of several addresses failed without a message: %s', (error) => {
    expect(readNetworkFailure({ errors: [withCode('ECONNREFUSED'), error] })).toMatchObject({ notSent: false });
  });

  it.each(['ECONNREFUSED', 'CERT_HAS_EXPIRED', 'TRANSPORT_CLOSED'])('in a browser, always: %s', (code) => {
    expect(BROWSER_PAGE.readBroken(broken(code), false)).toMatchObject({ notSent: false, retryable: true });
  });

  it('once headers have arrived, for any later failure', () => {
    expect(readBroken(broken('ECONNREFUSED'), true, true)).toMatchObject({ notSent: false, retryable: true });
    expect(readBroken(broken('CERT_HAS_EXPIRED'), true)).toMatchObject({ notSent: false, retryable: true });
  });

  it.each([undefined, null, 'text', 42, new Error('no cause')])('after %s was thrown, which has no code', (thrown) => {
    expect(readNetworkFailure(thrown)).toEqual({ code: undefined, notSent: false, certificate: false });
  });

  it('if the error cannot be read', () => {
    const hostile = new Proxy(new Error('x'), {
      get() {
        throw new Error('no');
      },
    });
    expect(readNetworkFailure(hostile)).toEqual({ code: undefined, notSent: false, certificate: false });
  });

  it.each(['code', 'message', 'syscall'])('if its %s cannot be read', (name) => {
    const unreadable = Object.defineProperty(withCode('ECONNREFUSED', { syscall: 'connect' }), name, {
      get() {
        throw new Error('no');
      },
    });
    expect(readNetworkFailure(unreadable)).toEqual({ code: undefined, notSent: false, certificate: false });
    expect(readNetworkFailure({ code: 'ECONNREFUSED', [name]: Object.create(null) })).toMatchObject({
      certificate: false,
    });
  });

  it.each(['cause', 'errors'])('if an error is its own %s', (name) => {
    const error: Error & { errors?: Error[] } = new Error('round');
    if (name === 'cause') error.cause = error;
    else error.errors = [error];
    expect(readNetworkFailure(error)).toEqual({ code: undefined, notSent: false, certificate: false });
  });
});

describe('an error is read by itself', () => {
  it.each([
    ['its cause is a string', withCode('ECONNREFUSED', { cause: 'the network' })],
    ['its cause is null', withCode('ECONNREFUSED', { cause: null })],
    ['it lists no errors', withCode('ECONNREFUSED', { errors: [] })],
    ['its list of errors is invalid', withCode('ECONNREFUSED', { errors: 'many' })],
    ['its message is not a string', withCode('ECONNREFUSED', { message: 407 })],
  ])('where %s', (_, error) => {
    expect(readNetworkFailure(error)).toEqual({ code: 'ECONNREFUSED', notSent: true, certificate: false });
  });
});

describe('a code is shown', () => {
  it.each([
    ['ABC', true],
    ['A_1', true],
    [`A${'B'.repeat(48)}`, true],
    ['AB', false],
    [`A${'B'.repeat(49)}`, false],
    ['1ABC', false],
    ['aBC', false],
    ['ABc', false],
    ['ABC ', false],
    ['key-1 99012345678', false],
  ])('only if it cannot be data: %s', (code, isShown) => {
    expect(readNetworkFailure(broken(code)).code).toBe(isShown ? code : undefined);
  });

  it('of several, the first that can be shown', () => {
    expect(readNetworkFailure(several('99012345678', 'ECONNRESET', 'EPIPE')).code).toBe('ECONNRESET');
  });
});

describe('the message of a failure', () => {
  const failure = { code: undefined, notSent: false, certificate: false };

  it.each([
    [
      'a connection that broke',
      { ...failure, code: 'ECONNRESET' },
      'the connection broke before a complete answer came (ECONNRESET)',
    ],
    ['a connection that broke without a code', failure, 'the connection broke before a complete answer came'],
    [
      'a handshake that broke',
      { ...failure, code: 'ERR_SSL_X' },
      'the connection broke before a complete answer came (ERR_SSL_X); is it an http:// address?',
    ],
    [
      'an unreachable host',
      { ...failure, code: 'ECONNREFUSED', notSent: true },
      'could not connect to the remote host (ECONNREFUSED); check its address and the network',
    ],
    [
      'a handshake that failed',
      { ...failure, code: 'ERR_SSL_X', notSent: true },
      'could not connect to the remote host (ERR_SSL_X); is it an http:// address?',
    ],
    [
      'a closed transport',
      { ...failure, code: 'TRANSPORT_CLOSED', notSent: true },
      'the transport that you passed is closed; make a new one',
    ],
    [
      'an installation without ky',
      { ...failure, code: 'KY_NOT_LOADED', notSent: true },
      'the package ky could not be loaded; install the dependencies again',
    ],
    [
      'a proxy',
      { ...failure, code: 'proxy 407', notSent: true },
      'the proxy refused a tunnel to the remote host (HTTP 407); check its address, its password and which hosts it allows',
    ],
    [
      'a certificate',
      { code: 'CERT_HAS_EXPIRED', notSent: true, certificate: true },
      "the certificate was refused (CERT_HAS_EXPIRED); check this machine's clock; if it is right, tell the gateway's operator",
    ],
  ])('says what failed and what to check: %s', (_, given, words) => {
    expect(describeFailure(given)).toBe(words);
  });

  it('says in a browser that the cause is unknown', () => {
    expect(BROWSER_PAGE.readBroken(broken('ECONNREFUSED'), false).text).toBe(
      "no answer came, and no reason; check the address, the network, and that a page's origin is allowed (CORS; allowedOrigins of a relay)",
    );
  });

  it.each([
    ['CERT_HAS_EXPIRED', /clock/],
    ['CERT_NOT_YET_VALID', /clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /is for another name/],
    ['HOSTNAME_MISMATCH', /is for another name/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS=.* Never set NODE_TLS_REJECT_UNAUTHORIZED/],
    [undefined, /NODE_EXTRA_CA_CERTS=.* Never set NODE_TLS_REJECT_UNAUTHORIZED/],
  ])('says what to do about %s', (code, advice) => {
    expect(certificateAdvice(code)).toMatch(advice);
  });
});
