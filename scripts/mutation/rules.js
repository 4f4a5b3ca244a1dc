/** The files that decide what becomes of a report: each holds rules whose loss would lose, change or falsely refuse one. */
export const RULES = [
  'src/delivery/classify-status.ts',
  'src/delivery/deliver.ts',
  'src/delivery/foreign.ts',
  'src/delivery/network-failure.ts',
  'src/delivery/relay-answer.ts',
  'src/outbox/attempt-result.ts',
  'src/outbox/gateway-refusal.ts',
  'src/outbox/pause.ts',
  'src/outbox/pauses.ts',
  'src/outbox/state-machine.ts',
  'src/outbox/went-back.ts',
];
