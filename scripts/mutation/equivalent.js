const RECORDED = 'TypeScript asks for this condition: an ending that is recorded always makes its row recorded, which the rest of the line covers.';

/**
 * Mutants that change nothing which a caller, the gateway or a store could see. `mutated` is the line as the mutant makes
 * it, as `npm run test:mutation` prints it.
 *
 * @type {readonly { file: string, mutated: string, reason: string }[]}
 */
export const EQUIVALENT = [
  { file: 'src/outbox/pause.ts', mutated: "change.state === 'quarantined' && true && ending.problem.status !== undefined;", reason: RECORDED },
];
