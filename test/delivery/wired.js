/**
 * The suites that run three times: as scripted in the process, and over a real socket by each transport
 * (vitest.config.ts, test/delivery/wire.ts).
 */
export const WIRED = [
  'test/delivery/answers.test.ts',
  'test/delivery/doubt.test.ts',
  'test/delivery/hostile.test.ts',
  'test/delivery/kept-answers.test.ts',
  'test/delivery/relay.test.ts',
  'test/delivery/resend.test.ts',
  'test/delivery/retries.test.ts',
  'test/delivery/wire.test.ts',
  'test/client/api-key.test.ts',
  'test/client/environments.test.ts',
  'test/client/headers.test.ts',
  'test/client/relay.test.ts',
  'test/client/requests.test.ts',
  'test/client/verify-nin.test.ts',
];

/** The tests of delivery and of the client that do not, and why. */
export const NOT_WIRED = {
  'test/client/reference-length.test.ts': 'is about checks before anything is sent',
  'test/delivery/a-status-proves-nothing.test.ts': 'has raw sockets of its own',
  'test/delivery/answer.test.ts': 'reads answers made in the process; nothing is sent',
  'test/delivery/broken-answers.test.ts': 'runs over both transports by itself',
  'test/delivery/duplicate.test.ts': 'reads words; nothing is sent',
  'test/delivery/success-words.test.ts': 'reads words; one report is sent over a socket of its own',
  'test/delivery/duplicate-words.test.ts': 'only reads words, thousands of times',
  'test/delivery/relay-answer.test.ts': 'reads answers made in the process; nothing is sent',
  'test/delivery/one-signal.test.ts': 'is about the listeners of a signal',
  'test/delivery/failures.test.ts': 'reads results made in the process; nothing is sent',
  'test/delivery/tell-of-attempt.test.ts': 'reports attempts made in the process; nothing is sent',
  'test/delivery/gateway-answer.test.ts': 'reads answers made in the process; nothing is sent',
  'test/delivery/deliver.test.ts': 'calls the loop of attempts itself, also as in a page',
  'test/delivery/network-failure.test.ts':
    'reads errors made in the process; nothing is sent, except to one port that only the built-in fetch refuses',
  'test/delivery/real-socket.test.ts': 'runs over both transports by itself',
  'test/delivery/odd-answers.test.ts': 'runs over both transports by itself',
  'test/delivery/certificates.test.ts': 'runs over both transports by itself',
  'test/delivery/proxies.test.ts': 'runs over both transports by itself',
  'test/delivery/dropped-tunnel.test.ts': 'runs over both transports by itself',
  'test/delivery/huge-answers.test.ts': 'runs over both transports by itself',
  'test/delivery/http2-only.test.ts': 'runs over both transports by itself',
  'test/delivery/not-connected.test.ts': 'runs over both transports by itself',
  'test/delivery/global-fetch.test.ts': 'replaces the global fetch',
  'test/client/logging.test.ts': 'is about log lines and messages, the same for each transport',
  'test/client/browser.test.ts': 'is about pages, which have no transport of Node.js',
  'test/client/relay-in-page.test.ts': 'is about pages, which have no transport of Node.js',
  'test/client/configuration.test.ts': 'is about checks before anything is sent',
  'test/client/default-client.test.ts': 'is about checks before anything is sent',
  'test/client/environment-variables.test.ts': 'is about checks before anything is sent',
  'test/client/amounts.test.ts': 'is about checks before anything is sent',
  'test/client/parameters.test.ts': 'is about checks before anything is sent',
};
