/// <reference types="location-sdk/global" />
/** The global of the script-tag file for pages with a relay. */
export async function byTheRelay(): Promise<string> {
  const { outcome } = await LocationSDK.createClient({ relayUrl: '/relay' }).reportBetEvent({ bet_id: 'B-1' });
  return outcome;
}
