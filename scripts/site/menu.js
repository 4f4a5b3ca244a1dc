// The menu of the site: drawers in their order, pages in theirs. A page that is missing here is an error of `npm run docs`.

/** @type {readonly { title: string, folder: string, groups: readonly { title?: string, pages: readonly string[] }[] }[]} */
export const drawers = [
  { title: 'Start', folder: 'start', groups: [{ pages: ['backend', 'page', 'ci'] }] },
  {
    title: 'How to',
    folder: 'how-to',
    groups: [
      { title: 'Report', pages: ['never-lose-or-double', 'handle-errors', 'business-cases'] },
      { title: 'In a web page', pages: ['browser', 'relay', 'react', 'next', 'player-messages', 'workers', 'outbox-in-a-page'] },
      { title: 'Location', pages: ['location', 'location-in-a-page', 'location-signals', 'behind-a-proxy'] },
      {
        title: 'Outbox',
        pages: [
          'outbox',
          'scale-out',
          'transactions',
          'queues',
          'queue-consumers',
          'licences',
          'import',
          'move-to-postgres',
          'proof',
          'encryption',
          'retention',
        ],
      },
      { title: 'Test', pages: ['mock-gateway', 'test-in-ci', 'faults', 'faults-of-answers'] },
      { title: 'Operate', pages: ['check', 'going-live', 'runbook', 'on-call', 'console', 'revoked-key', 'when-a-database-fails', 'telemetry', 'upgrade'] },
    ],
  },
  {
    title: 'Reference',
    folder: 'reference',
    groups: [
      {
        pages: [
          'methods',
          'options',
          'errors',
          'store-errors',
          'missing-packages',
          'limits',
          'outbox-options',
          'sqlite-file',
          'relay',
          'mock-gateway',
          'glossary',
        ],
      },
    ],
  },
  { title: 'Background', folder: 'background', groups: [{ pages: ['delivery', 'assumptions', 'security', 'performance', 'sizing'] }] },
];

/** The pages of a drawer in their order. @param {(typeof drawers)[number]} drawer */
export const pagesOf = ({ groups }) => groups.flatMap(({ pages }) => pages);

/** Files of the project that are pages of the site, too. */
export const project = { 'CHANGELOG.md': 'project/changes.md', 'CONTRIBUTING.md': 'project/contributing.md' };
