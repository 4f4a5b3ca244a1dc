import { existsSync, readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const ROOT = new URL('../../', import.meta.url);
const SRC = new URL('src/', ROOT);

/** The folder in which the name of a file begins: that of a page begins with `pages/`. */
const baseOf = (name: string) => (name.startsWith('pages/') ? ROOT : SRC);

/** The one file that imports a module named by its caller. */
const LOADS_A_FILE_OF_THE_USER = 'cli/check/options-file.ts';

export interface SourceFile {
  /** Below `src/`, or `pages/…`; with forward slashes. */
  readonly name: string;
  readonly imports: readonly Import[];
  /** Whether it contains only `export { … } from`. */
  readonly onlyReExports: boolean;
  readonly usesAny: boolean;
  readonly lines: number;
}

export interface Import {
  /** A file, named in the same way, or the name of a package. */
  readonly of: string;
  /** Whether nothing of it remains in JavaScript. `import { type A }` remains: as `import {}`. */
  readonly typeOnly: boolean;
}

/** Every TypeScript file of `src/` and `pages/`, in order of its name. */
export function readSource(): SourceFile[] {
  const below = (folder: URL) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return [...below(SRC), ...below(new URL('pages/', ROOT)).map((name) => `pages/${name}`)]
    .filter((name) => /\.tsx?$/.test(name))
    .sort()
    .map((name) => parseSource(name, readFileSync(new URL(name, baseOf(name)), 'utf8')));
}

export function parseSource(name: string, text: string): SourceFile {
  const parsed = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  const imports: Import[] = [];
  let usesAny = false;
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier) return;
    if (!ts.isStringLiteralLike(specifier) && name === LOADS_A_FILE_OF_THE_USER) return;
    if (!ts.isStringLiteralLike(specifier))
      throw new Error(`${name}: a computed import cannot be checked: ${specifier.getText()}`);
    imports.push({ of: resolve(name, specifier.text), typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument, true);
    else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require')
    ) {
      add(node.arguments[0], false);
    } else if (node.kind === ts.SyntaxKind.AnyKeyword) usesAny = true;
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  const onlyReExports = parsed.statements.every(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier && statement.exportClause,
  );
  return { name, imports, onlyReExports, usesAny, lines: text.trimEnd().split('\n').length };
}

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  const file = new URL(specifier.replace(/\.js$/, '.ts').replace(/\?raw$/, ''), new URL(from, baseOf(from)));
  const path = existsSync(new URL(`${file.href}x`)) ? `${file.href}x` : file.href;
  return path.startsWith(SRC.href) ? path.slice(SRC.href.length) : path.slice(ROOT.href.length);
}
