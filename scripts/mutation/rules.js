/** The files that decide what happens to a report: without their rules a report could be lost, changed or falsely refused. */
export const RULES = [
  'src/delivery/deliver.ts',
  'src/delivery/failures.ts',
  'src/delivery/gateway-answer.ts',
  'src/delivery/gateway-channel.ts',
  'src/delivery/network-failure.ts',
  'src/delivery/relay-answer.ts',
  'src/delivery/relay-channel.ts',
  'src/delivery/send-once.ts',
  'src/delivery/status.ts',
  'src/outbox/attempt-ending.ts',
  'src/outbox/gateway-refusal.ts',
  'src/outbox/pause.ts',
  'src/outbox/pauses.ts',
  'src/outbox/state-machine.ts',
  'src/outbox/restored-database.ts',
];
