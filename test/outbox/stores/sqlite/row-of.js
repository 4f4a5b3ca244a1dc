/**
 * The row of a new bet.
 * @param {string} reference
 * @returns {Parameters<import('location-sdk/outbox').OutboxStore['enqueue']>[0][number]}
 */
export function rowOf(reference) {
  const id = `default:staging:reportBetEvent:${reference}`;
  return {
    id,
    account: 'default',
    environment: 'staging',
    operation: 'reportBetEvent',
    reference,
    waitsFor: undefined,
    body: '{}',
    fingerprint: id,
    gateway: 'https://gateway.example.com',
  };
}
