import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.js';

/** One fenced block of a Markdown text. */
export interface CodeBlock {
  language: string;
  code: string;
  /** The place of its beginning, for messages. */
  line: number;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length,
  }));
}

/** The folders whose files a guide copies from the installed package. */
export const copiedFolders = (markdown: string): string[] =>
  [...markdown.matchAll(/^cp node_modules\/location-sdk\/(\S+)\/\* \.$/gm)].map(([, folder = '']) => folder);

/** The files in them, by name. */
export const copiedFiles = (markdown: string): { name: string; code: string }[] =>
  copiedFolders(markdown).flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => ({ name, code: readFileSync(join(root, folder, name), 'utf8') })),
  );

/** The number of fenced blocks, in any language. */
export const fencesIn = (markdown: string): number => (markdown.match(/^\s*(?:```|~~~)/gm)?.length ?? 0) / 2;

/** The commands of a shell block, without comments. A command may go on after a backslash at a line's end. */
export const commandsOf = ({ code }: CodeBlock): string[] =>
  code
    .replace(/ *\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('#'));

/** The inline scripts of a page. */
export const inlineScripts = (html: string): string[] =>
  [...html.matchAll(/<script(?: type="module")?>(.*?)<\/script>/gs)].map(([, code = '']) => code);

/** The text between two backticks outside of blocks. */
export function inlineCode(markdown: string): { code: string; line: number }[] {
  const outside = markdown.replace(/^```\w+\n.*?^```$/gms, (block) => block.replace(/[^\n]/g, ''));
  return [...outside.matchAll(/`([^`\n]+)`/g)].map(({ 1: code = '', index }) => ({
    code,
    line: outside.slice(0, index).split('\n').length,
  }));
}
