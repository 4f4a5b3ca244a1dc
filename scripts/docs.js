// Writes the documents as one site into `site/`: the reference of every entry of the package, and the guides. `npm run docs`.
// Fails on a broken link, on a public name without a word of explanation, and where the search leaves out the guides.
import { readdir, readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { Application, Converter, ReflectionKind } from 'typedoc';
import { entrySources } from './entries.js';

const OUT = 'site';

/** @type {{ version: string }} */
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const sources = entrySources();
const guides = (await readdir('docs', { recursive: true })).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);

/** Of all code in the documents. */
const texts = await Promise.all(['README.md', ...guides].map((name) => readFile(name, 'utf8')));
const languages = texts.flatMap((text) => [...text.matchAll(/^```(\w+)$/gm)].map(([, language = '']) => language));

const app = await Application.bootstrapWithPlugins({
  name: `location-sdk ${manifest.version}`,
  entryPoints: [...sources.values()],
  readme: 'README.md',
  projectDocuments: [...guides, 'CHANGELOG.md', 'CONTRIBUTING.md'],
  out: OUT,
  tsconfig: 'scripts/docs.tsconfig.json',
  customCss: 'scripts/docs.css',
  navigation: { includeGroups: false, includeCategories: false, includeFolders: false },
  categorizeByGroup: false,
  searchInDocuments: true,
  sortEntryPoints: false,
  highlightLanguages: [...new Set([...languages, 'typescript', 'javascript'])].filter((name) => name !== 'text'),
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true, notDocumented: true, unusedMergeModuleWith: true },
  // Of members, `npm run test:package` asks what an editor shows.
  requiredToBeDocumented: ['Enum', 'Variable', 'Function', 'Class', 'Interface', 'TypeAlias'],
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  githubPages: false,
  hideGenerator: true,
});

// Modules by the name that is imported, guides by their title.
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const [name] = [...sources].find(([, source]) => source.replace(/^src\/entries\/|\.ts$/g, '') === module.name) ?? [];
    if (!name) throw new Error(`No entry has the source ${module.name}.`);
    module.name = name;
  }
  for (const guide of project.documents ?? []) {
    const [first] = guide.content;
    guide.name = /^# (.*)$/m.exec(first?.text ?? '')?.[1] ?? guide.name;
  }
});

const project = await app.convert();
if (!project) throw new Error('The sources could not be read.');
app.validate(project);
await app.generateOutputs(project);

// The search must find what stands in the guides alone.
const [, packed = ''] = /"([^"]+)"/.exec(await readFile(`${OUT}/assets/search.js`, 'utf8')) ?? [];
if (!inflateSync(Buffer.from(packed, 'base64')).includes('["node_extra_ca_certs"'))
  app.logger.error('The search of the site does not know NODE_EXTRA_CA_CERTS, which docs/how-to/going-live.md names.');

const { errorCount, warningCount } = app.logger;
if (errorCount + warningCount > 0) {
  console.error(`${errorCount} errors, ${warningCount} warnings`);
  process.exitCode = 1;
} else console.log(`${OUT}/index.html: ${sources.size} entries, ${guides.length} guides`);
