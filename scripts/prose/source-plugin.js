// Lets textlint read TypeScript and JavaScript: each comment is a paragraph, and so is each text in quotes that is a
// sentence.
import ts from 'typescript';

/** @typedef {import('@textlint/ast-node-types').TxtDocumentNode} Document */

/** @param {string} text @returns {Document} */
function parse(text) {
  const file = ts.createSourceFile('source.tsx', text, ts.ScriptTarget.Latest, true);
  /** @type {{ start: number, end: number }[]} */
  const parts = [];
  /** @type {Set<number>} */
  const seen = new Set();
  /** @param {readonly ts.CommentRange[] | undefined} ranges */
  const addComments = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const opening = /^\/[/*]+!?\s*/.exec(text.slice(pos, end))?.[0].length ?? 0;
      parts.push({ start: pos + opening, end });
    }
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    addComments(ts.getLeadingCommentRanges(text, node.getFullStart()));
    addComments(ts.getTrailingCommentRanges(text, node.getEnd()));
    const isText =
      ts.isStringLiteral(node) ||
      ts.isNoSubstitutionTemplateLiteral(node) ||
      ts.isTemplateExpression(node) ||
      ts.isJsxText(node);
    // One word is a name or a key, and no sentence.
    if (isText && /[a-z,] [a-z]/i.test(node.getText()))
      parts.push({ start: node.getStart() + (ts.isJsxText(node) ? 0 : 1), end: node.getEnd() });
    if (!ts.isTemplateExpression(node)) node.getChildren().forEach(visit);
    else for (const { expression } of node.templateSpans) visit(expression);
  };
  visit(file);

  const at = (/** @type {number} */ offset) => {
    const { line, character } = file.getLineAndCharacterOfPosition(offset);
    return { line: line + 1, column: character };
  };
  /** @param {string} type @param {number} start @param {number} end */
  const placed = (type, start, end) => ({
    type,
    raw: text.slice(start, end),
    range: [start, end],
    loc: { start: at(start), end: at(end) },
  });
  const children = parts
    .filter(({ start, end }) => end > start)
    .sort((one, other) => one.start - other.start)
    .map(({ start, end }) => ({
      ...placed('Paragraph', start, end),
      // Code within a comment is left out.
      children: [...text.slice(start, end).matchAll(/`[^`]*`|[^`]+/g)]
        .filter(([found]) => !found.startsWith('`'))
        .map(({ 0: found, index }) => ({
          ...placed('Str', start + index, start + index + found.length),
          value: found,
        })),
    }));
  return /** @type {Document} */ (/** @type {unknown} */ ({ ...placed('Document', 0, text.length), children }));
}

export default {
  Processor: class {
    availableExtensions() {
      return ['.ts', '.tsx', '.js'];
    }
    processor() {
      return {
        preProcess: parse,
        /** @param {import('@textlint/types').TextlintMessage[]} messages @param {string} [filePath] */
        postProcess: (messages, filePath = '') => ({ messages, filePath }),
      };
    }
  },
};
