import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFreshBuild } from '../support/built.js';
import { authority, certificateKey, ofUnknownAuthority, selfSigned } from '../support/certificates.js';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { settledBet } from '../support/factories.js';
import { listening } from '../support/listen.js';
import { root, runNode } from '../support/run.js';

const block = codeBlocks(readGuides('how-to/deploy')).find(({ code }) => code.includes('client-key.pem'))?.code ?? '';

/** Prints the outcome of a report by the client of the guide. */
const REPORT = `
const { outcome, code } = await client.reportSettledBet(${JSON.stringify(settledBet())}).catch((error) => error);
console.log(code ?? 'no error', outcome);
await dispatcher.close();
`;

let folder: string;
beforeAll(() => {
  expectFreshBuild();
  // Inside the package, so that its modules are found by their names.
  folder = mkdtempSync(join(root, 'test/.docs-'));
  for (const [name, text] of Object.entries({ 'authority.pem': authority, 'client-key.pem': certificateKey }))
    writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A gateway that takes requests from holders of a certificate of its authority only, and the subjects that it saw. */
async function gateway() {
  const subjects: string[] = [];
  const server = createServer(
    { key: certificateKey, cert: ofUnknownAuthority, ca: authority, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      subjects.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
      response.end('{"message":"kept"}');
    },
  );
  return { baseUrl: `https://localhost:${await listening(server)}`, subjects };
}

/** Runs the block of the guide against a gateway, with these certificates. */
async function report(certificate: string, variables: Record<string, string>, code = block) {
  writeFileSync(join(folder, 'client.pem'), certificate);
  const file = join(folder, 'client.mjs');
  writeFileSync(file, code.replaceAll('/etc/bets/', `${folder}/`) + REPORT);
  const { output } = await runNode([file], {
    LOCATION_SDK_STAGING_API_KEY: 'key-of-a-test',
    ...variables,
  });
  return output.trim();
}

describe('a gateway that asks for a client certificate', () => {
  const trusted = () => ({ NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') });

  it('takes the report of the guide, whose own authority NODE_EXTRA_CA_CERTS names', async () => {
    const { baseUrl, subjects } = await gateway();
    const said = await report(ofUnknownAuthority, { ...trusted(), LOCATION_SDK_STAGING_BASE_URL: baseUrl });
    expect([said, subjects]).toEqual(['no error recorded', ['localhost']]);
  });

  it('is refused without that variable, before anything is sent', async () => {
    const { baseUrl, subjects } = await gateway();
    const said = await report(ofUnknownAuthority, { LOCATION_SDK_STAGING_BASE_URL: baseUrl });
    expect([said, subjects]).toEqual(['network not-sent', []]);
  });

  it.each([
    ['without a certificate', ofUnknownAuthority, block.replace(/ {4}(?:cert|key): .*\n/g, '')],
    ['with a certificate that it does not accept', selfSigned, block],
  ])('breaks the connection %s, and the report is in doubt', async (_, certificate, code) => {
    const { baseUrl, subjects } = await gateway();
    const variables = { ...trusted(), LOCATION_SDK_STAGING_BASE_URL: baseUrl };
    const said = await report(
      certificate,
      variables,
      code.replace('createClient({', 'createClient({ retry: { limit: 0 },'),
    );
    expect([said, subjects]).toEqual(['network unknown', []]);
  });
});
