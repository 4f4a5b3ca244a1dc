import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** What runs text as code, and so is refused by a Content-Security-Policy without `unsafe-eval`. @param {ts.Node} node */
function runsText(node) {
  if (ts.isIdentifier(node) && node.text === 'eval') return !isName(node);
  if (ts.isIdentifier(node) && node.text === 'Function') return !isName(node) && !isComparedWith(node);
  if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'constructor')
    return true;
  return ts.isCallExpression(node) && /^(?:set(?:Timeout|Interval))$/.test(node.expression.getText()) && isText(node.arguments[0]);
}

/** Whether it is the name of a property. @param {ts.Identifier} node */
function isName({ parent, text }) {
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === text) return !/^(?:globalThis|window|self|global)$/.test(parent.expression.getText());
  return ts.isPropertyAssignment(parent) && parent.name.getText() === text;
}

/** @param {ts.Node} node */
const isComparedWith = ({ parent }) => ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;

/** @param {ts.Node | undefined} node */
const isText = (node) => node !== undefined && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node));

/** Where a text of JavaScript runs text as code. @param {string} name @param {string} text */
function placesIn(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  /** @type {string[]} */
  const places = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (runsText(node))
      places.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} runs text as code: ${node.parent.getText().slice(0, 80)}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return places;
}

/** Each of these must be found, else nothing is shown by finding none. */
const BAD = [
  'eval("1")',
  '(0, eval)("1")',
  'new Function("return 1")',
  'Function("return 1")()',
  'const F = Function;',
  'globalThis.Function("1")',
  'window.eval("1")',
  '(() => {}).constructor("1")',
  'setTimeout("run()", 1)',
];
const GOOD = ['a.eval', '({ eval: 1 })', 'f instanceof Function', 'typeof f === "function"', 'setTimeout(() => {}, 1)', '"eval(1)" // eval'];

/** @param {import('../run.js').Packed} packed */
export function checkCode({ installed }) {
  const dist = join(installed, 'dist');
  const names = readdirSync(dist).filter((name) => /\.c?js$/.test(name));
  const problems = names.flatMap((name) => placesIn(name, readFileSync(join(dist, name), 'utf8')));
  problems.push(...BAD.filter((text) => placesIn('bad.js', text).length === 0).map((text) => `this check does not see ${text}`));
  problems.push(...GOOD.filter((text) => placesIn('good.js', text).length > 0).map((text) => `this check refuses ${text}`));
  return { result: `${names.length} files parsed: no eval, no Function`, problems };
}
