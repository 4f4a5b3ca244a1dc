import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lint } from '../scripts/prose/lint.js';
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

function save(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe.each([
  [
    'a document',
    'guide.md',
    (sentences: readonly string[]) =>
      `# Title\n\n${sentences.join('\n\n')}\n\n\`\`\`js\nconst whoever = 'nobody at all';\n\`\`\`\n`,
  ],
  [
    'comments',
    'code.ts',
    (sentences: readonly string[]) =>
      sentences.map((sentence) => `/** ${sentence} */\nexport const whoever = 1;\n`).join(''),
  ],
  [
    'messages',
    'code.js',
    (sentences: readonly string[]) =>
      sentences.map((sentence) => `console.log(\`${sentence.replaceAll('`', '')}\`);\n`).join(''),
  ],
] as const)('the linter reads %s', (_, name, write) => {
  it('names every riddle', async () => {
    const riddles = await lint(save(name, write(RIDDLES.map(([sentence]) => sentence))));
    for (const [sentence, word] of RIDDLES)
      expect(riddles.filter((one) => one.includes(`“${word.trim()}”`)).length, sentence).toBeGreaterThan(0);
  });

  it('passes plain sentences', async () => {
    expect(
      await lint(save(name, write(name === 'code.js' ? PLAIN.filter((sentence) => !sentence.includes('`')) : PLAIN))),
    ).toEqual([]);
  });
});

it('the command fails on a planted riddle, and names its place', { timeout: 30_000 }, async () => {
  const file = save('planted.md', '# Title\n\nThe outbox retries it. Nobody waits.\n');
  const { code, output } = await runNode([join(root, 'scripts/prose/index.js'), file]);
  expect([code, output]).toEqual([1, expect.stringContaining(`${file}:3:24 `)]);
});
