/**
 * The state of a report. `'waiting'`: it waits for its next attempt. `'in-flight'`: a worker has it. `'recorded'`: the gateway holds it.
 * `'quarantined'`: it needs a person. `'dismissed'`: a person decided that it is never sent. `'recorded'` and `'dismissed'` are final.
 */
export type RowState = 'waiting' | 'in-flight' | 'recorded' | 'quarantined' | 'dismissed';
