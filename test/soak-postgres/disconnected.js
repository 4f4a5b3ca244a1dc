import { PostgresStoreError } from 'location-sdk/outbox/postgres';

/** Whether the connection to the database failed: the same work may be repeated. @param {unknown} error */
export function isDisconnected(error) {
  const { code } = /** @type {{ code?: string }} */ (error);
  if (error instanceof PostgresStoreError) return code === 'connection' || code === 'aborted';
  return code === undefined || /^(57P|08|E)/.test(code);
}
