import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** What an editor shows of a name must be a sentence: so many characters at least. */
const SHORTEST = 12;

/** @param {import('../run.js').Packed} packed */
export function checkDocumented({ project, entries }) {
  const file = join(project, 'hover.ts');
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';\n`).join('');
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: [],
  };
  /** @type {ts.LanguageServiceHost} */
  const host = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      if (name === file) return ts.ScriptSnapshot.fromString(imports);
      return existsSync(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, 'utf8')) : undefined;
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? imports : ts.sys.readFile(name)),
    directoryExists: ts.sys.directoryExists,
    realpath: (name) => ts.sys.realpath?.(name) ?? name,
  };
  const service = ts.createLanguageService(host);
  const program = service.getProgram();
  const checker = program?.getTypeChecker();
  const source = program?.getSourceFile(file);
  if (!checker || !source) throw new Error('The declarations could not be read.');

  /** @type {Set<string>} */
  const problems = new Set();
  let names = 0;
  let members = 0;

  /** What hovering over a declaration shows, below its type. @param {ts.Declaration} declaration */
  const hover = (declaration) => {
    const name = ts.getNameOfDeclaration(declaration);
    const shown = name && service.getQuickInfoAtPosition(declaration.getSourceFile().fileName, name.getStart());
    return ts.displayPartsToString(shown?.documentation ?? []).trim();
  };

  for (const [index, statement] of source.statements.entries()) {
    if (!ts.isImportDeclaration(statement)) continue;
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier);
    const entry = entries[index];
    if (!module) {
      problems.add(`${entry} has no declarations`);
      continue;
    }
    for (const exported of checker.getExportsOfModule(module)) {
      names += 1;
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const ours = (symbol.declarations ?? []).filter((declaration) => declaration.getSourceFile().fileName.includes('/location-sdk/dist/'));
      if (!ours.some((declaration) => hover(declaration).length >= SHORTEST)) problems.add(`${entry}: ${exported.name} says nothing of itself`);
      for (const member of ours.flatMap(publicMembers)) {
        members += 1;
        if (hover(member).length === 0) problems.add(`${symbol.name}.${member.name?.getText()} says nothing of itself`);
      }
    }
  }
  service.dispose();
  return { result: `${names} names and ${members} members of ${entries.length} entries, as an editor shows them`, problems: [...problems] };
}

/** The members that a declaration names itself. @param {ts.Declaration} declaration @returns {ts.NamedDeclaration[]} */
function publicMembers(declaration) {
  const holder = ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type) ? declaration.type : declaration;
  if (!(ts.isInterfaceDeclaration(holder) || ts.isClassDeclaration(holder) || ts.isTypeLiteralNode(holder))) return [];
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return [...holder.members].filter(
    (member) => member.name !== undefined && ts.isIdentifier(member.name) && (ts.getCombinedModifierFlags(member) & hidden) === 0,
  );
}
