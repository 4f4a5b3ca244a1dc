/** The global of the script-tag file for pages, with a relay or a gateway. */
/// <reference types="location-sdk/global" />
import type { BetEvent, Client } from 'location-sdk';

export async function byTheGlobal(bet: BetEvent): Promise<string> {
  LocationSDK.configure({ relayUrl: '/relay' });
  const client: Client = LocationSDK.createClient({
    relayUrl: '/relay',
    location: { ip: { providers: [LocationSDK.geojs()] } },
  });
  try {
    const { outcome } = await client.reportBetEvent(bet);
    return outcome;
  } catch (error) {
    return LocationSDK.isReportingError(error) ? error.outcome : 'unknown';
  }
}
