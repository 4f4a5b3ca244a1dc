import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, runNode } from './support/run.js';

/** A sentence that breaks a rule, and the words that the linter must name. */
const RIDDLES = [
  ['What was not taken is tried again.', 'What'],
  ['The answer is final. Whoever asks again waits.', 'Whoever'],
  ['A move of which nobody sees the end.', 'nobody'],
  ['A database of yours keeps it.', 'of yours'],
  ['All but for one are sent.', 'but for'],
  ['It is no call.', 'is no '],
  ['There were so many reports in such a queue.', 'such a'],
  ['It is believed as far as it goes.', 'as far as'],
  ['Where it is missing, it waits.', 'Where'],
] as const;
const PLAIN = [
  'What happens to a bet whose answer is lost? The outbox retries it.',
  'There is no queue.',
  '`nobody` is a name in code.',
  'It is no longer sent.',
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prose-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function lint(name: string, text: string) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return runNode([join(root, 'scripts/prose/index.js'), file]);
}

describe.each([
  ['a document', 'guide.md', (sentences: readonly string[]) => `# Title\n\n${sentences.join('\n\n')}\n\n\`\`\`js\nconst whoever = 'nobody at all';\n\`\`\`\n`],
  ['comments', 'code.ts', (sentences: readonly string[]) => sentences.map((sentence) => `/** ${sentence} */\nexport const whoever = 1;\n`).join('')],
  ['messages', 'code.js', (sentences: readonly string[]) => sentences.map((sentence) => `console.log(\`${sentence.replaceAll('`', '')}\`);\n`).join('')],
] as const)('the linter reads %s', (_, name, write) => {
  it('names every riddle, and fails', { timeout: 30_000 }, async () => {
    const { code, output } = await lint(name, write(RIDDLES.map(([sentence]) => sentence)));
    expect(code).toBe(1);
    const lines = output.split('\n').filter((line) => line.includes(name));
    for (const [sentence, word] of RIDDLES)
      expect(lines.filter((line) => line.includes(`“${word.trim()}”`)).length, `${sentence}\n${output}`).toBeGreaterThan(0);
  });

  it('passes plain sentences', { timeout: 30_000 }, async () => {
    const { code, output } = await lint(name, write(name === 'code.js' ? PLAIN.filter((sentence) => !sentence.includes('`')) : PLAIN));
    expect([code, output]).toEqual([0, expect.stringContaining('1 files read, 0 riddles')]);
  });
});
