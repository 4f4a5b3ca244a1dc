import { escapePattern } from '../../core/platform/escape-pattern.js';
import type { WebRequest, WebResponse } from '../../core/platform/web-types.js';
import { readBaseUrl } from '../../core/protocol/addresses.js';
import type { MockGateway } from './interface.js';
import { readMockOptions } from './options.js';

/** The part of msw's `http` that is used, the same in its versions. */
export interface MswHttp<Handler> {
  /** A handler for every method of an address. */
  all(
    path: RegExp,
    resolver: (info: {
      /** The request. */
      request: WebRequest;
    }) => Promise<never>,
  ): Handler;
}

/** The gateway addresses that the client uses. */
export interface MockGatewayAddresses {
  /** Default: the address in `gateway.clientOptions()`. */
  staging?: string | undefined;
  /** Default: the address in `gateway.clientOptions()`. */
  production?: string | undefined;
}

/**
 * Handlers for msw with which a mock gateway answers all requests to the addresses of the real one. Connection faults
 * arrive as msw's network error. `http` comes from your own msw, version 2 or 3. Throws a `TypeError` for an invalid
 * address.
 *
 * @example
 * ```ts
 * import { http } from 'msw';
 * import { setupServer } from 'msw/node';
 *
 * const gateway = createMockGateway();
 * const server = setupServer(...mockGatewayHandlers(http, gateway, { staging: 'https://staging.gateway.example' }));
 * server.listen({ onUnhandledRequest: 'error' }); // msw 3: onUnhandledFrame
 * ```
 */
export function mockGatewayHandlers<Handler>(
  http: MswHttp<Handler>,
  gateway: MockGateway,
  addresses: MockGatewayAddresses = {},
): Handler[] {
  readMockOptions('mockGatewayHandlers', addresses);
  const own = gateway.clientOptions().gateways;
  const handler = (environment: 'staging' | 'production'): Handler => {
    const address = addressOf(addresses[environment] ?? own[environment].baseUrl, environment);
    const below = new RegExp(`^${escapePattern(address)}/integration-gateway(?:[/?#]|$)`);
    const target = own[environment].baseUrl;
    // msw infers the type of an answer from its handler. Our type fits all of them.
    return http.all(
      below,
      ({ request }) =>
        answer(gateway, request as Request, target + request.url.slice(address.length)) as Promise<never>,
    );
  };
  return [handler('staging'), handler('production')];
}

function addressOf(text: string, environment: string): string {
  const { baseUrl, problem } = readBaseUrl(text, true);
  if (baseUrl === undefined) throw new TypeError(`The address of ${environment} ${problem}.`);
  return baseUrl;
}

async function answer(gateway: MockGateway, request: Request, url: string): Promise<WebResponse> {
  const { method, headers, signal } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    const body = hasBody ? await request.arrayBuffer() : null;
    return await gateway.fetch(url, { method, headers, body, signal });
  } catch {
    // An exception would become an answer with status 500. This becomes msw's network error.
    return Response.error();
  }
}
