// The menu of the site: drawers in their order, pages in theirs. A page that is missing here is an error of `npm run
// docs`.

/** @type {readonly { title: string, folder: string, groups: readonly { title?: string, pages: readonly string[] }[] }[]} */
export const drawers = [
  {
    title: 'Start',
    folder: 'start',
    groups: [{ pages: ['which-stack', 'backend', 'backend-with-postgresql', 'page', 'page-with-relay', 'ci'] }],
  },
  {
    title: 'How to',
    folder: 'how-to',
    groups: [
      { title: 'Report', pages: ['never-lose-or-double', 'business-cases'] },
      {
        title: 'In a page or an app',
        pages: ['browser', 'app', 'relay', 'player-messages', 'location'],
      },
      {
        title: 'Outbox',
        pages: ['import', 'licences', 'records', 'encryption'],
      },
      { title: 'Test', pages: ['mock-gateway'] },
      {
        title: 'Operate',
        pages: ['deploy', 'going-live', 'on-call', 'console', 'telemetry'],
      },
    ],
  },
  {
    title: 'Reference',
    folder: 'reference',
    groups: [
      {
        pages: ['methods', 'options', 'errors', 'cli', 'stability', 'glossary'],
      },
    ],
  },
  {
    title: 'Background',
    folder: 'background',
    groups: [{ pages: ['assumptions', 'security'] }],
  },
];

/** The pages of a drawer in their order. @param {(typeof drawers)[number]} drawer */
export const pagesOf = ({ groups }) => groups.flatMap(({ pages }) => pages);

/** Pages about the project, for contributors: they stand after the drawers. */
export const project = {
  'CHANGELOG.md': 'project/changes.md',
  'CONTRIBUTING.md': 'project/contributing.md',
  'docs/maintaining/changing.md': 'project/changing.md',
  'docs/maintaining/testing.md': 'project/testing.md',
};
