import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The variables of this process except the package's own and the test runner's, so that neither affects a child's test.
 */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:LOCATION_SDK_|VITEST|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/.test(name),
  ),
);

/** Starts Node.js, in the root of the repository if no folder is given. */
export const startNode = (
  args: readonly string[],
  variables: Record<string, string> = {},
  folder = root,
): ChildProcess =>
  spawn(process.execPath, args, {
    cwd: folder,
    env: { ...inherited, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Runs Node.js to its end. */
export async function runNode(
  args: readonly string[],
  variables?: Record<string, string>,
  folder?: string,
): Promise<{ code: number | null; output: string; stdout: string }> {
  const child = startNode(args, variables, folder);
  let output = '';
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  return { code, output, stdout };
}
