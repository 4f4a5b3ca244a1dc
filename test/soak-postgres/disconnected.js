import { StoreError } from 'location-sdk/outbox';

/** Whether the connection to the database failed: the same work may be repeated. @param {unknown} error */
export function isDisconnected(error) {
  const { code } = /** @type {{ code?: string }} */ (error);
  if (error instanceof StoreError) return code === 'connection' || code === 'aborted';
  return code === undefined || /^(57P|08|E)/.test(code);
}
