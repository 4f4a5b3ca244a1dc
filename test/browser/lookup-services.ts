import type { Page } from 'playwright-core';

/** The behaviour of a service for a request. `'unreachable'`: the connection fails. `'silent'`: it never answers. */
export type LookupAnswer =
  | { status: number; body: unknown; headers: Record<string, string> }
  | 'unreachable'
  | 'silent';

export type LookupHost = 'get.geojs.io' | 'ipapi.co' | 'free.freeipapi.com';

export interface LookupServices {
  /** The behaviour of each. A test may change it. */
  readonly answers: Record<LookupHost, LookupAnswer>;
  /** Every request of a page to the services. */
  readonly requests: { method: string; url: string; headers: Record<string, string> }[];
}

const json = (
  body: unknown,
  headers: Record<string, string> = { 'access-control-allow-origin': '*' },
): LookupAnswer => ({
  status: 200,
  body,
  headers: { 'content-type': 'application/json', ...headers },
});

/** A service's refusal. Such answers often come from a proxy in front of it, which sends no CORS headers. */
export const refusal = (
  status: number,
  headers: Record<string, string> = { 'access-control-allow-origin': '*' },
): LookupAnswer => ({
  status,
  body: { error: true },
  headers: { 'content-type': 'application/json', ...headers },
});

/** GeoJS's answer for an unknown place. */
export const notKnowing = (): LookupAnswer => json({ ip: '102.89.23.1', latitude: 'nil', longitude: 'nil' });

const wellAnswers = (): Record<LookupHost, LookupAnswer> => ({
  'get.geojs.io': json({
    ip: '102.89.23.1',
    latitude: '6.4474',
    longitude: '3.3903',
    city: 'Lagos',
    region: 'Lagos',
    country_code: 'NG',
    accuracy: 20,
  }),
  'ipapi.co': json({
    ip: '102.89.23.1',
    latitude: 9.0579,
    longitude: 7.4951,
    city: 'Abuja',
    region: 'FCT',
    country_code: 'NG',
  }),
  'free.freeipapi.com': json({
    ipAddress: '102.89.23.1',
    latitude: 12.0022,
    longitude: 8.592,
    cityName: 'Kano',
    regionName: 'Kano',
    countryCode: 'NG',
  }),
});

/**
 * Answers a page's requests to the lookup services, and only those. It does not use `page.route`: with any route set,
 * Playwright answers every preflight itself and adds CORS headers, which hides a browser's refusal.
 */
export async function answerLookups(page: Page): Promise<LookupServices> {
  const answers = wellAnswers();
  const requests: LookupServices['requests'] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Fetch.requestPaused', async ({ requestId, request }) => {
    const { method, url, headers } = request;
    requests.push({ method, url, headers });
    const answer = answers[new URL(url).hostname as LookupHost];
    if (answer === 'silent') return;
    if (answer === 'unreachable') {
      await session.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionFailed' });
      return;
    }
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: answer.status,
      responseHeaders: Object.entries(answer.headers).map(([name, value]) => ({ name, value })),
      body: Buffer.from(JSON.stringify(answer.body)).toString('base64'),
    });
  });
  await session.send('Fetch.enable', {
    patterns: Object.keys(answers).map((host) => ({ urlPattern: `https://${host}/*` })),
  });
  return { answers, requests };
}
