/// <reference types="location-sdk/global" />
/** The global of the script-tag file for pages with a relay. */
export async function byTheRelay(): Promise<string> {
  const { outcome } = await LocationSDK.createClient({ relayUrl: '/relay' }).reportBetEvent({ bet_id: 'B-1' });
  return outcome;
}

export async function byTheFunctions(): Promise<string> {
  LocationSDK.configure({ relayUrl: '/relay' });
  await LocationSDK.reportWithdrawalEvent({ request_id: 'W-1', amount: 2_000 });
  const { outcome } = await LocationSDK.reportBetEvent({ bet_id: 'B-1' });
  return outcome;
}

export const mistakes = () => [
  // @ts-expect-error: the relay adds the player.
  LocationSDK.reportBetEvent({ bet_id: 'B-1', user: { nin: '99012345678' } }),
  // @ts-expect-error: the relay adds the player.
  LocationSDK.reportWithdrawalEvent({ request_id: 'W-1', userId: 'U-1' }),
  // @ts-expect-error: without a relay, createClient has the types.
  LocationSDK.configure({ allowApiKeyInBrowser: true }),
];
