// Cloudflare Workers: the settings come with each request, and Cloudflare itself names the connection's address.
import { createClient } from 'location-sdk';
import { createRelay } from 'location-sdk/relay';

/**
 * `SESSIONS` and `RECORDS` are KV namespaces or your own, `LIMITER` is a rate limiting binding.
 *
 * @typedef {import('location-sdk/relay').RelayPlayer & { id: string }} Player
 * @typedef {{ owner: string, fields: object }} Entry a bet or withdrawal: its player, and the reported fields
 * @typedef {{ GATEWAY: string, API_KEY: string, SESSIONS: { get(key: string, type: 'json'): Promise<Player | null> },
 * RECORDS: { get(key: string, type: 'json'): Promise<Entry | null> }, LIMITER: { limit(of: { key: string }): Promise<{
 * success: boolean }> } }} Env
 */

/** @type {import('location-sdk/relay').Relay | undefined} */
let relay;

export default {
  /** @param {Request} request @param {Env} env */
  fetch(request, env) {
    relay ??= createRelay({
      client: createClient({ gateways: { staging: { baseUrl: env.GATEWAY, apiKey: env.API_KEY } } }),
      // Stored by session and operation, since the two user objects differ.
      authorize: ({ headers }, { operation }) =>
        env.SESSIONS.get(`${headers.get('authorization')} ${operation}`, 'json'),
      limit: async ({ id }) => !(await env.LIMITER.limit({ key: id })).success,
      // The report comes from the records, and only its own player may send it. For null the relay answers 403.
      async complete(event, { player, operation }) {
        const entry = await env.RECORDS.get(
          `${operation} ${operation === 'reportBetEvent' ? event.bet_id : event.request_id}`,
          'json',
        );
        return entry?.owner === player.id ? entry.fields : null;
      },
    });
    return relay(request, { remoteAddress: request.headers.get('cf-connecting-ip') ?? undefined });
  },
};
