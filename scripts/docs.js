// Writes the documents as one site into `site/`: the reference of every entry of the package, and the guides. `npm run docs`.
// Fails on a broken link, and on a public name without a word of explanation.
import { readdir, readFile } from 'node:fs/promises';
import { Application } from 'typedoc';

/** @type {{ exports: Record<string, unknown>, version: string }} */
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const config = await readFile('tsup.config.ts', 'utf8');

/** The source of each entry, by the name that is imported. */
const sources = new Map(
  Object.entries(manifest.exports)
    .filter(([name]) => !name.endsWith('.json'))
    .map(([name, entry]) => {
      const [, built = ''] = /"types":"\.\/dist\/([\w-]+)\.d\.ts"/.exec(JSON.stringify(entry)) ?? [];
      const [, source] = new RegExp(`^ +'?${built}'?: '([^']+)',$`, 'm').exec(config) ?? [];
      if (!source) throw new Error(`tsup.config.ts has no entry for ${name}.`);
      return [`location-sdk${name.slice(1)}`, source];
    }),
);

const guides = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);

const app = await Application.bootstrapWithPlugins({
  name: `location-sdk ${manifest.version}`,
  entryPoints: [...sources.values()],
  readme: 'README.md',
  projectDocuments: [...guides, 'CHANGELOG.md', 'CONTRIBUTING.md'],
  out: 'site',
  tsconfig: 'tsconfig.json',
  validation: { notExported: false, invalidLink: true, rewrittenLink: true, notDocumented: true, unusedMergeModuleWith: true },
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  githubPages: false,
  hideGenerator: true,
});
const project = await app.convert();
if (!project) throw new Error('The sources could not be read.');
app.validate(project);
await app.generateDocs(project, 'site');
