import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const GLOBALS = /^(?:globalThis|window|self|global|frames|top|parent)$/;
const TIMERS = /^set(?:Timeout|Interval|Immediate)$/;

/**
 * Expressions that run text as code, and so are refused by a Content-Security-Policy without `unsafe-eval`.
 * @param {ts.Node} node
 */
function runsText(node) {
  if (ts.isIdentifier(node) && (node.text === 'eval' || node.text === 'Function'))
    return !isName(node) && !(node.text === 'Function' && isComparedWith(node));
  const member = memberOf(node);
  if (member) {
    const { name, of } = member;
    if (name === 'eval' || name === 'Function') return GLOBALS.test(of);
    // `x.constructor.name` reads a class's name. If the constructor is passed on or called, it may be the Function of functions.
    if (name === 'constructor') return !isOnlyLookedAt(node);
  }
  if (!ts.isCallExpression(node)) return false;
  const [first] = node.arguments;
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return textOf(first)?.startsWith('data:') === true;
  const called = memberOf(node.expression)?.name ?? node.expression.getText();
  return TIMERS.test(called) && isText(first);
}

/** `a.b`, `a['b']` and `const { b } = a`: the name, if it is known, and its object. @param {ts.Node} node */
function memberOf(node) {
  if (ts.isPropertyAccessExpression(node)) return { name: node.name.text, of: node.expression.getText() };
  if (ts.isElementAccessExpression(node))
    return { name: textOf(node.argumentExpression), of: node.expression.getText() };
  if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
    const of = ts.isVariableDeclaration(node.parent.parent) ? (node.parent.parent.initializer?.getText() ?? '') : '';
    return { name: (node.propertyName ?? node.name).getText().replace(/^(['"])(.*)\1$/, '$2'), of };
  }
  return undefined;
}

/** Whether it is the name of a property. @param {ts.Identifier} node */
function isName({ parent, text }) {
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === text) return true;
  return ts.isPropertyAssignment(parent) && parent.name.getText() === text;
}

/** Whether it is only compared or given another value, or one of its own properties is read. @param {ts.Node} node */
const isOnlyLookedAt = (node) =>
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name.text === 'name') ||
  (ts.isBinaryExpression(node.parent) && /^[!=]==?$/.test(node.parent.operatorToken.getText())) ||
  (ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken) ||
  ts.isTypeOfExpression(node.parent) ||
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name.text === 'prototype') ||
  (ts.isVariableDeclaration(node.parent) &&
    node.parent.initializer === node &&
    usesOf(node.parent).every(isOnlyLookedAt));

/** The places at which a variable is read, in the function that declares it. @param {ts.VariableDeclaration} declared @returns {ts.Node[]} */
function usesOf({ name, parent }) {
  /** @type {ts.Node[]} */
  const uses = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isIdentifier(node) && node !== name && node.text === name.getText() && !isName(node)) uses.push(node);
    ts.forEachChild(node, visit);
  };
  visit(parent.parent.parent);
  return uses;
}

/** @param {ts.Node} node */
const isComparedWith = ({ parent }) =>
  ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;

/** A literal text, also in pieces. @param {ts.Node | undefined} node @returns {string | undefined} */
function textOf(node) {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined && right === undefined ? undefined : `${left ?? ''}${right ?? ''}`;
}

/** @param {ts.Node | undefined} node */
const isText = (node) => textOf(node) !== undefined;

/** The places at which a JavaScript text runs text as code. @param {string} name @param {string} text */
function placesIn(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  /** @type {string[]} */
  const places = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (runsText(node))
      places.push(
        `${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} runs text as code: ${node.parent.getText().slice(0, 80)}`,
      );
    ts.forEachChild(node, visit);
  };
  visit(file);
  return places;
}

/** The check must find each of these, otherwise finding none in the package proves nothing. */
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
  'setTimeout("run(" + 1 + ")", 1)',
  "globalThis.setTimeout('run()', 1)",
  "window['setInterval'](`run()`, 1)",
  "globalThis['eval']('1')",
  "globalThis['ev' + 'al']('1')",
  'const { eval: run } = globalThis;',
  'const { Function: F } = window;',
  "const F = (() => {}).constructor; F('return 1')();",
  "(() => {})['constructor']('1')",
  'const { constructor } = () => {};',
  "import('data:text/javascript,1')",
  '[].map.constructor.call(null, "1")',
];
const GOOD = [
  'a.eval',
  '({ eval: 1 })',
  'f instanceof Function',
  'typeof f === "function"',
  'setTimeout(() => {}, 1)',
  '"eval(1)" // eval',
  'a.constructor.name',
  'a.constructor === Object',
  'const C = a.constructor; C.prototype.b',
  'A.prototype.constructor = A',
  "import('node:fs')",
  'globalThis.setTimeout(run, 1)',
  "a['eval']",
];

/** @param {import('../run.js').Packed} packed */
export function checkCode({ installed }) {
  const dist = join(installed, 'dist');
  const names = readdirSync(dist).filter((name) => /\.c?js$/.test(name));
  const problems = names.flatMap((name) => placesIn(name, readFileSync(join(dist, name), 'utf8')));
  problems.push(
    ...BAD.filter((text) => placesIn('bad.js', text).length === 0).map((text) => `this check does not see ${text}`),
  );
  problems.push(
    ...GOOD.filter((text) => placesIn('good.js', text).length > 0).map((text) => `this check refuses ${text}`),
  );
  return { result: `${names.length} files parsed: no eval, no Function`, problems };
}
