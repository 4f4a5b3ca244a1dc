// The test of a browser: a page with the script-tag file of the installed package reports a bet and a withdrawal
// through a relay, and posts the result.

export const page = `<!doctype html><meta charset="utf-8"><title>location-sdk</title>
<script src="/location-sdk.global.js"></script>
<script type="module">
  const tell = (outcome) => fetch('/done', { method: 'POST', body: JSON.stringify(outcome) });
  try {
    const client = LocationSDK.createClient({ relayUrl: '/relay', location: { ip: { enabled: false } } });
    const given = new URLSearchParams(location.search).has('given') ? { location: { latitude: 6.4474, longitude: 7.5139, accuracy: 20, source: 'gps' } } : {};
    const bet = await client.reportBetEvent({ bet_id: 'BET-1', amount: 1500 }, given);
    const again = await client.reportBetEvent({ bet_id: 'BET-1', amount: 1500 }, given);
    const withdrawal = await client.reportWithdrawalEvent({ request_id: 'WR-1', amount: 3000, metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' }, withdrawalId: 'W-1', userId: 'U-1' }, given);
    const refused = await client.verifyNin({ nin: '99012345678' }).catch((error) => error);
    await tell({ outcomes: [bet.outcome, again.outcome, withdrawal.outcome, refused.code], isSecure: isSecureContext, agent: navigator.userAgent });
  } catch (error) {
    await tell({ problem: String(error), steps: error.steps });
  }
</script>`;

/** The expected result. */
export const EXPECTED = ['recorded', 'already-recorded', 'recorded', 'configuration'];
