import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The text that an editor shows for a name must be a sentence: at least this number of characters. */
const SHORTEST = 15;
/** A member also has a name and a type: "Given name." is enough. */
const SHORTEST_OF_MEMBER = 10;
const UNFINISHED = /\b(?:TODO|FIXME|TBD|XXX)\b/i;

/** @param {string} text @param {number} shortest */
const isSentence = (text, shortest) => text.length >= shortest && !UNFINISHED.test(text);

/** Each name here is a gap that the check must find, otherwise finding none in the package proves nothing. */
const SEEDS = `
/** TODO: write me, soon. */
export interface Unfinished {}
/** A type with members of every shape. */
export type Seed = { inIntersection: 1 } & Readonly<{ inReadonly: 1 }> & {
  /** Contains members without a comment. */
  holder: { inLiteral: 1 } | { inUnion: 1 };
  /** Accepts members without a comment. */
  method(options: { inParameter: 1 }): Promise<{ inResult: 1 }[]>;
  'quoted-name': 1;
};
`;
const SEEDED = [
  'Unfinished',
  'inIntersection',
  'inReadonly',
  'inLiteral',
  'inUnion',
  'inParameter',
  'inResult',
  'quoted-name',
];

/** @param {import('../run.js').Packed} packed */
export function checkDocumented({ project, installed, entries: all }) {
  const file = join(project, 'hover.ts');
  const seeds = join(installed, 'dist/seeds.d.ts');
  const entries = [...all, './node_modules/location-sdk/dist/seeds.js'];
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';\n`).join('');
  const texts = new Map([
    [file, imports],
    [seeds, SEEDS],
  ]);
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
      const text = texts.get(name) ?? (existsSync(name) ? readFileSync(name, 'utf8') : undefined);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
    readFile: (name) => texts.get(name) ?? ts.sys.readFile(name),
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

  /** The text that an editor shows for a declaration, below its type. @param {ts.Declaration} declaration */
  const hover = (declaration) => {
    const name = ts.getNameOfDeclaration(declaration);
    const shown = name && service.getQuickInfoAtPosition(declaration.getSourceFile().fileName, name.getStart());
    return ts.displayPartsToString(shown?.documentation ?? []).trim();
  };

  /** @type {Set<ts.Symbol | ts.Declaration>} */
  const members = new Set();
  const walk = walkTypes(checker, (owner, member) => {
    const [declaration] = member.declarations ?? [];
    // A generic type has as many symbols of one member as it has instances.
    if (members.has(declaration ?? member)) return;
    members.add(declaration ?? member);
    if (!isSentence(ts.displayPartsToString(member.getDocumentationComment(checker)).trim(), SHORTEST_OF_MEMBER))
      problems.add(`${owner}.${member.name} has no comment`);
  });

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
      const ours = (symbol.declarations ?? []).filter(isOurs);
      if (!ours.some((declaration) => isSentence(hover(declaration), SHORTEST)))
        problems.add(`${entry}: ${exported.name} has no comment`);
      for (const type of typesOf(checker, symbol)) walk(type, symbol.name);
    }
  }
  service.dispose();
  for (const seed of SEEDED) {
    const found = [...problems].filter((problem) => problem.includes(`${seed} has no comment`));
    if (found.length === 0) problems.add(`this check does not see ${seed}`);
    for (const problem of found) problems.delete(problem);
  }
  return {
    result: `${names} names and ${members.size} members of ${all.length} entries, as an editor shows them`,
    problems: [...problems],
  };
}

/** @param {ts.Declaration} declaration */
const isOurs = (declaration) => declaration.getSourceFile().fileName.includes('/location-sdk/dist/');

/**
 * The symbols behind a name: as a type, as a value, or both.
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} symbol
 */
const typesOf = (checker, symbol) => [
  ...(symbol.flags & ts.SymbolFlags.Type ? [checker.getDeclaredTypeOfSymbol(symbol)] : []),
  ...(symbol.flags & ts.SymbolFlags.Value ? [checker.getTypeOfSymbol(symbol)] : []),
];

/**
 * Visits every member that can be reached from a type: through members of members, parameters, results, unions,
 * intersections, mapped and conditional types. Members that other packages declare are left out, but their types may
 * contain ours.
 * @param {ts.TypeChecker} checker
 * @param {(owner: string, member: ts.Symbol) => void} see
 */
function walkTypes(checker, see) {
  /** @type {Set<ts.Type>} */
  const seen = new Set();
  /** @param {ts.Type | undefined} type @param {string} owner */
  const walk = (type, owner) => {
    if (!type || seen.has(type)) return;
    seen.add(type);
    const name =
      type.aliasSymbol?.name ?? (type.symbol && !type.symbol.name.startsWith('__') ? type.symbol.name : owner);
    for (const argument of type.aliasTypeArguments ?? []) walk(argument, name);
    if (type.isUnionOrIntersection()) for (const part of type.types) walk(part, name);
    if (type.flags & ts.TypeFlags.Instantiable) return walk(checker.getBaseConstraintOfType(type), name);
    if (!(type.flags & ts.TypeFlags.Object)) return;
    if (/** @type {ts.ObjectType} */ (type).objectFlags & ts.ObjectFlags.Reference)
      for (const argument of checker.getTypeArguments(/** @type {ts.TypeReference} */ (type))) walk(argument, name);
    if (checker.isTupleType(type)) return;
    if (
      type.symbol?.declarations &&
      !type.symbol.declarations.some((declaration) => isOurs(declaration) || ts.isMappedTypeNode(declaration))
    )
      return;
    for (const member of checker.getPropertiesOfType(type)) {
      const { declarations = [] } = member;
      // A key of a mapped type has no declaration and so no comment. The type of its value is visited.
      if (declarations.length === 0) walk(checker.getTypeOfSymbol(member), `${name}.${member.name}`);
      if (!declarations.some(isOurs)) continue;
      if (
        declarations.some(
          (declaration) => ts.getCombinedModifierFlags(declaration) & HIDDEN || isOfConstant(declaration),
        )
      )
        continue;
      if (member.name.startsWith('__@') || member.name === 'prototype') continue;
      see(name, member);
      walk(checker.getTypeOfSymbol(member), `${name}.${member.name}`);
    }
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.getParameters())
        walk(checker.getTypeOfSymbol(parameter), `${name}(${parameter.name})`);
      walk(signature.getReturnType(), `${name}()`);
      for (const parameter of signature.getTypeParameters() ?? []) walk(parameter, name);
    }
    for (const { type: held } of checker.getIndexInfosOfType(type)) walk(held, `${name}[]`);
  };
  return walk;
}

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/**
 * Whether it is in the inferred type of a constant: the rows of INSTRUMENTS describe themselves in `description`.
 * @param {ts.Node} node
 */
function isOfConstant(node) {
  let at = node.parent;
  while (ts.isTypeLiteralNode(at) || ts.isPropertySignature(at)) at = at.parent;
  return ts.isVariableDeclaration(at);
}
