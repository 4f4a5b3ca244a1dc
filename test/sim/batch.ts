import { parentPort, workerData } from 'node:worker_threads';
import { readAnswers } from './answers.js';
import { type Coverage, emptyCoverage } from './coverage.js';
import { simulate } from './simulate.js';

/** Makes the seeds from `from` on. */
export interface Batch {
  readonly from: number;
  readonly count: number;
}

export interface BatchResult {
  readonly failed: readonly { readonly seed: number; readonly message: string }[];
  readonly count: number;
  readonly coverage: Coverage;
}

/** Makes the history of a seed in readable lines. The broken rule comes last. */
export async function replay(seed: number): Promise<{ lines: string[]; message: string | undefined }> {
  const lines: string[] = [];
  const violation = simulate(seed, {
    catalogue: await readAnswers(),
    coverage: emptyCoverage(),
    trace: (line) => lines.push(line),
  });
  return { lines, message: violation?.message };
}

/** Runs in a separate thread, and takes batches until it is told to end. */
if (parentPort && (workerData as { simulation?: boolean } | null)?.simulation) {
  const port = parentPort;
  const catalogue = await readAnswers();
  port.on('message', ({ from, count }: Batch) => {
    const coverage = emptyCoverage();
    const failed: { seed: number; message: string }[] = [];
    for (let seed = from; seed < from + count; seed += 1) {
      const violation = simulate(seed, { catalogue, coverage });
      if (violation) failed.push({ seed, message: violation.message });
    }
    port.postMessage({ failed, count, coverage } satisfies BatchResult);
  });
  port.postMessage('ready');
}

export { addCoverage, emptyCoverage, showCoverage, unmet } from './coverage.js';
