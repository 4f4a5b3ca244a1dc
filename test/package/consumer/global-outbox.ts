/// <reference types="location-sdk/global" />
/** The global of the script-tag file with the outbox. */
import type { Outbox } from 'location-sdk/outbox';

export async function byTheOutbox(): Promise<Outbox<'relay'>> {
  const client = LocationSDK.createClient({ relayUrl: '/relay' });
  return LocationSDK.createOutbox({ client, store: await LocationSDK.indexedDbStore({ player: 'P-1' }) });
}
