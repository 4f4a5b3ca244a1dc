/**
 * The files that decide what happens to a report, and what of an answer may be shown: without their rules a report
 * could be lost, changed or falsely refused, or its data shown.
 */
export const RULES = [
  'src/core/delivery/answer.ts',
  'src/core/delivery/deliver.ts',
  'src/core/delivery/duplicate.ts',
  'src/core/delivery/failures.ts',
  'src/core/delivery/gateway-channel.ts',
  'src/core/delivery/network-failure.ts',
  'src/core/delivery/relay-channel.ts',
  'src/core/delivery/send-once.ts',
  'src/outbox/rules/attempt-ending.ts',
  'src/outbox/sending/bindings.ts',
  'src/outbox/store/claimants.ts',
  'src/outbox/rules/pause.ts',
  'src/outbox/sending/pauses.ts',
  'src/outbox/sending/plan.ts',
  'src/outbox/rules/decisions.ts',
  'src/outbox/rules/state-machine.ts',
  'src/outbox/sending/restored-database.ts',
  'src/core/redact/redact.ts',
  'src/core/redact/vocabulary.ts',
];
