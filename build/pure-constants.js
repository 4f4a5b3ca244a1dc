import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/** Code inside a function does not run when the module is loaded. @param {ts.Node} node */
const isLater = (node) => ts.isFunctionLike(node) || ts.isClassLike(node);

/**
 * Whether loading the module runs a node of this kind.
 * @param {ts.Node} node @param {(node: ts.Node) => boolean} is @returns {boolean}
 */
const runs = (node, is) =>
  is(node) || (!isLater(node) && ts.forEachChild(node, (child) => runs(child, is) || undefined) === true);

/** @param {ts.Node} node */
const isSpread = (node) => ts.isSpreadElement(node) || ts.isSpreadAssignment(node);

/**
 * Marks every module constant as pure, if it is made by calls or by a spread. Bundlers that do not analyse functions
 * (esbuild) then leave it out if it is unused; they would keep a spread, which may run a getter. Statements that are
 * calls are not marked: they have side effects.
 * @param {string} path
 * @param {string} text
 */
function markPure(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {Map<number, string>} */
  const marks = new Map();
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (isLater(node)) return;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) marks.set(node.getStart(), '/* @__PURE__ */ ');
    ts.forEachChild(node, visit);
  };
  for (const statement of file.statements)
    if (ts.isVariableStatement(statement))
      for (const { initializer } of statement.declarationList.declarations)
        if (initializer && runs(initializer, isSpread) && !runs(initializer, ts.isAwaitExpression)) {
          marks.set(initializer.getStart(), '/* @__PURE__ */ (() => (');
          marks.set(initializer.getEnd(), '))()');
        } else if (initializer) visit(initializer);
  return [...marks]
    .sort(([one], [other]) => other - one)
    .reduce((marked, [at, mark]) => marked.slice(0, at) + mark + marked.slice(at), text);
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
