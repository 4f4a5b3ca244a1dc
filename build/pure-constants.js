import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/**
 * Marks every call that makes a module's constant as pure. Bundlers that do not analyse functions (esbuild) then leave
 * it out if the constant is unused. Statements that are calls are not marked: they have side effects.
 * @param {string} path
 * @param {string} text
 */
function markPure(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {Set<number>} */
  const places = new Set();
  /** @param {ts.Node} node */
  const visit = (node) => {
    // Code inside a function does not run when the module is loaded.
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) places.add(node.getStart());
    ts.forEachChild(node, visit);
  };
  for (const statement of file.statements)
    if (ts.isVariableStatement(statement))
      for (const { initializer } of statement.declarationList.declarations) if (initializer) visit(initializer);
  return [...places]
    .sort((a, b) => b - a)
    .reduce((marked, at) => `${marked.slice(0, at)}/* @__PURE__ */ ${marked.slice(at)}`, text);
}

/** The same for every source of the modules. @type {import('esbuild').Plugin} */
export const pureConstants = {
  name: 'pure constants',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: markPure(path, await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};
