import { createMockGateway } from '../../mock/gateway.js';
import { serve } from '../../node/serve.js';
import { MOCK_API_KEY } from '../../protocol/mock-mode.js';
import { notEmpty, oneOf, readArgs, type Values, visibleText, wholeNumber } from '../args.js';
import { listening } from '../listening.js';
import { EXIT, remark, say } from '../output.js';
import { signalled } from '../signalled.js';
import { openStateFile } from './state-file.js';

export const DEFAULT_PORT = 4010;

export const MOCK_OPTIONS = {
  port: { hint: '<number>', help: `The port; 0 for a free one (default: ${DEFAULT_PORT})`, read: wholeNumber(0, 65_535) },
  host: { hint: '<address>', help: 'The address to listen on (default: 127.0.0.1); any except loopback needs --admin-token', read: notEmpty },
  key: { hint: '<key>', help: `The accepted API key (default: ${MOCK_API_KEY})`, read: visibleText },
  state: { hint: '<file.json>', help: 'Load the reports of this file, if it exists, and write it at the end', read: notEmpty },
  seed: { hint: '<number>', help: 'The seed for random faults; the same seed gives the same faults (default: 1)', read: wholeNumber(0, 4_294_967_295) },
  rate: { hint: '<number>', help: 'Answer 429 above this number of requests per second (default: no limit)', read: wholeNumber(1, 1_000_000) },
  validation: { hint: '<mode>', help: "strict or partial, like the client's option (default: strict)", read: oneOf('strict', 'partial') },
  'no-require-initiated': { help: 'Accept settled reports without their initiated events' },
  'admin-token': { hint: '<token>', help: 'Requests to /__admin/ must send this token as "authorization: Bearer …"', read: visibleText },
  json: { help: 'Print the ready line as JSON, and nothing else' },
} as const;

/** Starts a mock gateway with these options. */
export async function startMock({ port = DEFAULT_PORT, host, key, state, seed, rate, validation, ...more }: Values<typeof MOCK_OPTIONS>) {
  const gateway = createMockGateway({
    apiKey: key,
    seed,
    validation,
    rateLimit: rate === undefined ? undefined : { requests: rate },
    requireInitiated: !more['no-require-initiated'],
  });
  const file = state === undefined ? undefined : await openStateFile(state, gateway);
  const { url, close } = await listening(() => serve(gateway, { port, host, adminToken: more['admin-token'] }), `${host ?? '127.0.0.1'}:${port}`);
  return {
    url,
    /** Ends the gateway at once, and writes its state file. */
    async end() {
      await close();
      file?.save();
    },
  };
}

/** Runs a mock gateway until a signal ends it. */
export async function mock(words: readonly string[]): Promise<number> {
  const options = readArgs(MOCK_OPTIONS, words);
  const { url, end } = await startMock(options);
  const ended = signalled();
  say(options.json ? JSON.stringify({ event: 'ready', url }) : `location-sdk mock gateway listening on ${url}`);
  if (!options.json) remark(howToUse(url, options.key));
  await ended;
  await end();
  return EXIT.done;
}

const howToUse = (url: string, key: string = MOCK_API_KEY): string => `
  Open it in a browser:  ${url}/
  Send the reports of your test suite here, without a change of code:  LOCATION_SDK_MOCK=${url}
  Use it from any other language:  ${url}/integration-gateway/external/…  with the header  x-api-key: ${key === MOCK_API_KEY ? key : '(the key given by --key)'}
  Read the reports:  ${url}/__admin/reports   Paths and fields:  ${url}/__admin/openapi.json
${key === MOCK_API_KEY ? '' : `  LOCATION_SDK_MOCK uses the key ${MOCK_API_KEY}: to use the variable, start without --key.\n`}  Stop with Ctrl+C.
`;
