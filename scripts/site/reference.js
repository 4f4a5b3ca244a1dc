// The reference of every entry of the package, as Markdown that TypeDoc writes.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { Application, Converter, ReflectionKind } from 'typedoc';
import { entrySources } from '../../build/entries.js';

/**
 * @param {string} folder where the pages go
 * @returns {Promise<number>} how many entries there are
 */
export async function writeReference(folder) {
  const sources = entrySources();
  /** @type {Partial<import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions>} */
  const options = {
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...sources.values()],
    tsconfig: 'scripts/site/tsconfig.json',
    out: folder,
    router: 'module',
    entryFileName: 'index',
    readme: 'none',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    indexFormat: 'table',
    parametersFormat: 'table',
    sortEntryPoints: false,
    validation: {
      notExported: false,
      invalidLink: true,
      invalidPath: true,
      rewrittenLink: true,
      notDocumented: true,
      unusedMergeModuleWith: true,
    },
    // `npm run test:package` checks the comments of members.
    requiredToBeDocumented: ['Enum', 'Variable', 'Function', 'Class', 'Interface', 'TypeAlias'],
    treatWarningsAsErrors: true,
    treatValidationWarningsAsErrors: true,
    excludePrivate: true,
    excludeInternal: true,
    disableSources: true,
    githubPages: false,
  };
  const app = await Application.bootstrapWithPlugins(options);
  // Modules by their imported name.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      const [name] =
        [...sources].find(([, source]) => source.replace(/^src\/entries\/|\.ts$/g, '') === module.name) ?? [];
      if (!name) throw new Error(`No entry has the source ${module.name}.`);
      module.name = name;
    }
  });
  const project = await app.convert();
  if (!project) throw new Error('The sources could not be read.');
  app.validate(project);
  await app.generateOutputs(project);
  const { errorCount, warningCount } = app.logger;
  if (errorCount + warningCount > 0)
    throw new Error(`The reference has ${errorCount} errors and ${warningCount} warnings.`);
  await mendLinks(folder);
  return sources.size;
}

/**
 * TypeDoc numbers some anchors as if a heading existed twice: the link then goes to the heading without the number. A
 * path to a guide in a comment becomes a link.
 * @param {string} folder
 */
async function mendLinks(folder) {
  const names = (await readdir(folder, { recursive: true }))
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'));
  const texts = new Map(
    await Promise.all(
      names.map(async (name) => /** @type {const} */ ([name, await readFile(`${folder}/${name}`, 'utf8')])),
    ),
  );
  for (const [name, text] of texts) {
    const mended = text
      .replace(/\]\(([^)#\s]*)#([\w-]+)-1\)/g, (whole, file, anchor) => {
        const target = texts.get(file ? posix.join(posix.dirname(name), file) : name) ?? '';
        return new RegExp(`^#+ ${anchor}(?:\\(\\))?$`, 'gim').exec(target) && !repeats(target, anchor)
          ? `](${file}#${anchor})`
          : whole;
      })
      .replace(
        /(?<![`\w(/.])docs\/((?:how-to|reference|background|start)\/[\w-]+\.md)(#[\w-]+)?/g,
        (_, guide, anchor = '') => {
          const path = posix.relative(posix.join('reference/api', posix.dirname(name)), guide);
          return `[${guide.replace(/^.*\/|\.md$/g, '')}](${path}${anchor})`;
        },
      );
    await writeFile(`${folder}/${name}`, mended);
  }
}

/** @param {string} text @param {string} anchor */
const repeats = (text, anchor) => (text.match(new RegExp(`^#+ ${anchor}(?:\\(\\))?$`, 'gim'))?.length ?? 0) > 1;
