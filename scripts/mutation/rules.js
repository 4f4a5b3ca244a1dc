/**
 * The files that decide what happens to a report, and what of an answer may be shown: without their rules a report
 * could be lost, changed or falsely refused, or its data shown.
 */
export const RULES = [
  'src/delivery/answer.ts',
  'src/delivery/deliver.ts',
  'src/delivery/duplicate.ts',
  'src/delivery/failures.ts',
  'src/delivery/gateway-channel.ts',
  'src/delivery/network-failure.ts',
  'src/delivery/relay-channel.ts',
  'src/delivery/send-once.ts',
  'src/outbox/rules/attempt-ending.ts',
  'src/outbox/sending/bindings.ts',
  'src/outbox/store/claimants.ts',
  'src/outbox/rules/pause.ts',
  'src/outbox/sending/pauses.ts',
  'src/outbox/sending/plan.ts',
  'src/outbox/rules/state-machine.ts',
  'src/outbox/sending/restored-database.ts',
  'src/redact/redact.ts',
  'src/redact/vocabulary.ts',
];
