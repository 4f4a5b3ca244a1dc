import { MOCK_API_KEY } from '../../core/protocol/mock-mode.js';
import { serve } from '../../http/node/serve.js';
import { createMockGateway } from '../../testing/mock/gateway.js';
import { notEmpty, oneOf, readArgs, type Values, visibleText, wholeNumber } from '../args.js';
import { EXIT, remark, say } from '../output.js';
import { listening, signalled } from '../serving.js';

const DEFAULT_PORT = 4010;

const COMMON_OPTIONS = {
  seed: {
    hint: '<number>',
    help: 'The seed for random faults; the same seed gives the same faults (default: 1)',
    read: wholeNumber(0, 4_294_967_295),
  },
  rate: {
    hint: '<number>',
    help: 'Answer 429 above this number of requests per second (default: no limit)',
    read: wholeNumber(1, 1_000_000),
  },
  validation: {
    hint: '<mode>',
    help: "strict or partial, like the client's option (default: strict)",
    read: oneOf('strict', 'partial'),
  },
  'no-require-initiated': { help: 'Accept settled reports without their initiated events' },
} as const;

/** `mock run` chooses the host and the key itself. */
export const MOCK_RUN_OPTIONS = {
  port: { hint: '<number>', help: 'The port (default: a free one)', read: wholeNumber(0, 65_535) },
  ...COMMON_OPTIONS,
} as const;

export const MOCK_OPTIONS = {
  port: {
    hint: '<number>',
    help: `The port; 0 for a free one (default: ${DEFAULT_PORT})`,
    read: wholeNumber(0, 65_535),
  },
  host: {
    hint: '<address>',
    help: 'The address to listen on (default: 127.0.0.1); any except loopback needs --admin-token',
    read: notEmpty,
  },
  key: { hint: '<key>', help: `The accepted API key (default: ${MOCK_API_KEY})`, read: visibleText },
  ...COMMON_OPTIONS,
  'admin-token': {
    hint: '<token>',
    help: 'Requests to /__admin/ must send this token as "authorization: Bearer …"',
    read: visibleText,
  },
  json: { help: 'Print the ready line as JSON, and nothing else' },
} as const;

export async function startMock({
  port = DEFAULT_PORT,
  host,
  key,
  seed,
  rate,
  validation,
  ...more
}: Values<typeof MOCK_OPTIONS>) {
  const gateway = createMockGateway({
    apiKey: key,
    seed,
    validation,
    rateLimit: rate === undefined ? undefined : { requests: rate },
    requireInitiated: !more['no-require-initiated'],
  });
  return listening(
    () => serve(gateway, { port, host, adminToken: more['admin-token'] }),
    `${host ?? '127.0.0.1'}:${port}`,
  );
}

export async function mock(words: readonly string[]): Promise<number> {
  const options = readArgs(MOCK_OPTIONS, words);
  const { url, close } = await startMock(options);
  const ended = signalled();
  say(options.json ? JSON.stringify({ event: 'ready', url }) : `location-sdk mock gateway listening on ${url}`);
  if (!options.json) remark(howToUse(url, options.key));
  await ended;
  await close();
  return EXIT.done;
}

const howToUse = (url: string, key: string = MOCK_API_KEY): string => `
  Open it in a browser:  ${url}/
  Send the reports of your test suite here, without a change of code:  LOCATION_SDK_MOCK=${url}
  Use it from any other language:  ${url}/integration-gateway/external/…  with the header  x-api-key: ${key === MOCK_API_KEY ? key : '(the key given by --key)'}
  Read the reports:  ${url}/__admin/reports   Paths and fields:  ${url}/__admin/openapi.json
${key === MOCK_API_KEY ? '' : `  LOCATION_SDK_MOCK uses the key ${MOCK_API_KEY}: to use the variable, start without --key.\n`}  Stop with Ctrl+C.
`;
