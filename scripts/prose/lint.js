// Reads a file with textlint: Markdown, or the comments and messages of a source.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import terminology from 'textlint-rule-terminology';
import sentenceStart from './sentence-start.js';
import source from './source-plugin.js';
import { words } from './words.js';

const kernel = new TextlintKernel();

/**
 * @param {string} file
 * @returns {Promise<string[]>} every riddle, with its place
 */
export async function lint(file) {
  const { messages } = await kernel.lintText(await readFile(file, 'utf8'), {
    ext: extname(file),
    filePath: file,
    plugins: [
      { pluginId: 'markdown', plugin: Object(markdown).default ?? markdown },
      { pluginId: 'source', plugin: source },
    ],
    rules: [
      { ruleId: 'words', rule: terminology, options: { defaultTerms: false, skip: [], terms: words } },
      { ruleId: 'sentence-start', rule: sentenceStart },
    ],
  });
  return messages.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`);
}
