import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/**
 * Says of every call that makes a constant of a module that it does nothing else, so that bundlers which look at no function's inside (esbuild)
 * leave it out where the constant is unused. Statements that are calls stay as they are: they are there for what they do.
 * @param {string} path @param {string} text
 */
function markPure(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {Set<number>} */
  const places = new Set();
  /** @param {ts.Node} node */
  const visit = (node) => {
    // What is within a function does not run when the module is loaded.
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) places.add(node.getStart());
    ts.forEachChild(node, visit);
  };
  for (const statement of file.statements)
    if (ts.isVariableStatement(statement)) for (const { initializer } of statement.declarationList.declarations) if (initializer) visit(initializer);
  return [...places].sort((a, b) => b - a).reduce((marked, at) => `${marked.slice(0, at)}/* @__PURE__ */ ${marked.slice(at)}`, text);
}

/** The same for every source of the modules. @type {import('esbuild').Plugin} */
export const pureConstants = {
  name: 'pure constants',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({ contents: markPure(path, await readFile(path, 'utf8')), loader: 'ts' }));
  },
};
