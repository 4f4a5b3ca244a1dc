/**
 * Where a report stands. `'waiting'` for its turn, also between two attempts; `'in-flight'`, a worker has it; `'recorded'`, the gateway holds it;
 * `'quarantined'`, a person must look; `'dismissed'`, a person decided that it is not to be sent. Nothing leaves `'recorded'` and `'dismissed'`.
 */
export type RowState = 'waiting' | 'in-flight' | 'recorded' | 'quarantined' | 'dismissed';
