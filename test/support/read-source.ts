import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

const SRC = new URL('../../src/', import.meta.url);

/** The one file that imports a module named by its caller. */
const LOADS_A_FILE_OF_THE_USER = 'cli/check/options-file.ts';

export interface SourceFile {
  /** Below `src/`, with forward slashes. */
  readonly name: string;
  readonly imports: readonly Import[];
  /** Whether it contains only `export { … } from`. */
  readonly onlyReExports: boolean;
  readonly usesAny: boolean;
  readonly lines: number;
}

export interface Import {
  /** A file below `src/`, or the name of a package. */
  readonly of: string;
  /** Whether nothing of it remains in JavaScript. `import { type A }` remains: as `import {}`. */
  readonly typeOnly: boolean;
}

/** Every TypeScript file of `src/`, in order of its name. */
export function readSource(): SourceFile[] {
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .sort()
    .map((name) => parseSource(name, readFileSync(new URL(name, SRC), 'utf8')));
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
  const name = posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
  return existsSync(new URL(`${name}x`, SRC)) ? `${name}x` : name;
}
