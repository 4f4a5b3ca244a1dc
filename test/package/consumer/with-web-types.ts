/** The platform's own objects fit, with the DOM's types and with those of Node.js only. */
import { type ClientOptions, clientIpFrom, createClient, type Receipt } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { bet } from './uses.js';

const options: ClientOptions<'strict'> = {
  fetch: (url, init) => fetch(url, init),
  logger: console,
  location: {
    ip: {
      providers: [
        {
          name: 'ours',
          async lookup({ ip, signal }) {
            const answer = await fetch(`https://geo.example.com/${ip ?? 'me'}`, { signal });
            return (await answer.json()) as { latitude: number; longitude: number };
          },
        },
      ],
    },
  },
};

export function report(): Promise<Receipt> {
  const controller = new AbortController();
  return createClient({ ...options, fetch }).reportBetEvent(bet, { signal: controller.signal });
}

export async function askTheMock(): Promise<unknown> {
  const gateway = createMockGateway();
  const answer: Response = await gateway.fetch(new Request(new URL('https://gateway.example.com/')), {
    method: 'POST',
  });
  const byUrl = await gateway.fetch(new URL('https://gateway.example.com/'));
  return [await answer.json(), byUrl.headers.get('allow')];
}

export const addressOf = (request: Request): string | undefined =>
  clientIpFrom(request, { trustedProxies: 'cloudflare' });
