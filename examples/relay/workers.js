// Cloudflare Workers: the settings come with each request, and Cloudflare itself says whose connection it is.
import { createClient } from 'location-sdk';
import { createRelay } from 'location-sdk/relay';

/** @typedef {{ GATEWAY: string, API_KEY: string, SESSIONS: { get(key: string, type: 'json'): Promise<import('location-sdk/relay').RelayPlayer | null> } }} Env */

/** @type {import('location-sdk/relay').Relay | undefined} */
let relay;

export default {
  /** @param {Request} request @param {Env} env */
  fetch(request, env) {
    relay ??= createRelay({
      client: createClient({ gateways: { staging: { baseUrl: env.GATEWAY, apiKey: env.API_KEY } } }),
      // Kept by session and operation, since the two user objects differ.
      authorize: ({ headers }, { operation }) => env.SESSIONS.get(`${headers.get('authorization')} ${operation}`, 'json'),
    });
    return relay(request, { remoteAddress: request.headers.get('cf-connecting-ip') ?? undefined });
  },
};
