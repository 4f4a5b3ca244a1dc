/**
 * The suites that run three times: as scripted in the process, and over a real socket by each transport
 * (vitest.config.ts, test/core/delivery/wire.ts).
 */
export const WIRED = [
  'test/core/delivery/answers.test.ts',
  'test/core/delivery/doubt.test.ts',
  'test/core/delivery/hostile.test.ts',
  'test/core/delivery/kept-answers.test.ts',
  'test/core/delivery/relay.test.ts',
  'test/core/delivery/resend.test.ts',
  'test/core/delivery/retries.test.ts',
  'test/core/delivery/wire.test.ts',
  'test/core/client/api-key.test.ts',
  'test/core/client/environments.test.ts',
  'test/core/client/headers.test.ts',
  'test/core/client/relay.test.ts',
  'test/core/client/requests.test.ts',
  'test/core/client/verify-nin.test.ts',
];

/** The tests of delivery and of the client that do not, and why. */
export const NOT_WIRED = {
  'test/core/client/reference-length.test.ts': 'is about checks before anything is sent',
  'test/core/client/post-once.test.ts': 'posts to a route of the operator with the global fetch',
  'test/core/client/foreign-functions.test.ts': 'is about functions of a page that another script has replaced',
  'test/core/delivery/a-status-proves-nothing.test.ts': 'has raw sockets of its own',
  'test/core/delivery/answer.test.ts': 'reads answers made in the process; nothing is sent',
  'test/core/delivery/broken-answers.test.ts': 'runs over both transports by itself',
  'test/core/delivery/duplicate.test.ts': 'reads words; nothing is sent',
  'test/core/delivery/success-words.test.ts': 'reads words; one report is sent over a socket of its own',
  'test/core/delivery/duplicate-words.test.ts': 'only reads words, thousands of times',
  'test/core/delivery/relay-answer.test.ts': 'reads answers made in the process; nothing is sent',
  'test/core/delivery/one-signal.test.ts': 'is about the listeners of a signal',
  'test/core/delivery/failures.test.ts': 'reads results made in the process; nothing is sent',
  'test/core/delivery/tell-of-attempt.test.ts': 'reports attempts made in the process; nothing is sent',
  'test/core/delivery/gateway-answer.test.ts': 'reads answers made in the process; nothing is sent',
  'test/core/delivery/deliver.test.ts': 'calls the loop of attempts itself, also as in a page',
  'test/core/delivery/network-failure.test.ts':
    'reads errors made in the process; nothing is sent, except to one port that only the built-in fetch refuses',
  'test/core/delivery/real-socket.test.ts': 'runs over both transports by itself',
  'test/core/delivery/odd-answers.test.ts': 'runs over both transports by itself',
  'test/core/delivery/certificates.test.ts': 'runs over both transports by itself',
  'test/core/delivery/proxies.test.ts': 'runs over both transports by itself',
  'test/core/delivery/dropped-tunnel.test.ts': 'runs over both transports by itself',
  'test/core/delivery/huge-answers.test.ts': 'runs over both transports by itself',
  'test/core/delivery/http2-only.test.ts': 'runs over both transports by itself',
  'test/core/delivery/not-connected.test.ts': 'runs over both transports by itself',
  'test/core/delivery/global-fetch.test.ts': 'replaces the global fetch',
  'test/core/client/logging.test.ts': 'is about log lines and messages, the same for each transport',
  'test/core/client/browser.test.ts': 'is about pages, which have no transport of Node.js',
  'test/core/client/relay-in-page.test.ts': 'is about pages, which have no transport of Node.js',
  'test/core/client/page-locate.test.ts': 'sends nothing',
  'test/core/client/configuration.test.ts': 'is about checks before anything is sent',
  'test/core/client/default-client.test.ts': 'is about checks before anything is sent',
  'test/core/client/environment-variables.test.ts': 'is about checks before anything is sent',
  'test/core/client/amounts.test.ts': 'is about checks before anything is sent',
  'test/core/client/parameters.test.ts': 'is about checks before anything is sent',
};
