import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { certificateKey, expired, forElsewhere, ofUnknownAuthority, selfSigned } from '../../support/certificates.js';
import { listening } from '../../support/listen.js';
import { ask, KEY, transports } from './transports.js';

/** A server over TLS, and the number of requests that it received. */
async function secure(cert: string) {
  const told = { baseUrl: '', requests: 0 };
  const server = createServer({ key: certificateKey, cert }, (_, response) => {
    told.requests += 1;
    response.end('{}');
  });
  told.baseUrl = `https://localhost:${await listening(server)}`;
  return told;
}

const OWN_AUTHORITY =
  'if your own authority has signed it: NODE_EXTRA_CA_CERTS=/path/to/authority.pem. Never set NODE_TLS_REJECT_UNAUTHORIZED';

describe.each(transports())('by %s, a certificate', (name, by: ClientOptions) => {
  it.each([
    ['that is self-signed', selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT', OWN_AUTHORITY],
    ['of an unknown authority', ofUnknownAuthority, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', OWN_AUTHORITY],
    ['that has expired', expired, 'CERT_HAS_EXPIRED', "check this machine's clock"],
    ['that is self-signed for another host', forElsewhere, 'DEPTH_ZERO_SELF_SIGNED_CERT', OWN_AUTHORITY],
  ])(
    '%s is refused before anything is sent, and the error says what to do',
    async (_name, certificate, code, advice) => {
      const server = await secure(certificate);
      const error = await ask(server.baseUrl, { ...by, retry: { limit: 2 } });
      expect(error).toMatchObject({
        name: 'NetworkError',
        code: 'network',
        outcome: 'not-sent',
        retryable: false,
        attempts: 1,
      });
      expect((error as Error).message).toContain(`the certificate was refused (${code}); ${advice}`);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
      expect(server.requests).toBe(0);
    },
  );

  it('a missing certificate means no answer, and the error asks for the address', async () => {
    const port = await listening(createPlainServer((_request, response) => response.end('{}')));
    const error = await ask(`https://localhost:${port}`, by);
    // Before its connection is established nothing of a report was sent. The built-in fetch does not report that.
    expect(error).toMatchObject({ code: 'network', outcome: name === 'nodeTransport()' ? 'not-sent' : 'unknown' });
    expect((error as Error).message).toMatch(/ERR_SSL_\w+\); is it an http:\/\/ address\?/);
  });
});
