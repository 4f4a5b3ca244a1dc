// The menu of the site: drawers in their order, pages in theirs. A page that is missing here is an error of `npm run docs`.

/** @type {readonly { title: string, folder: string, pages: readonly string[] }[]} */
export const drawers = [
  { title: 'Start', folder: 'start', pages: ['backend', 'page', 'ci'] },
  {
    title: 'How to',
    folder: 'how-to',
    pages: [
      ...['never-lose-or-double', 'handle-errors', 'business-cases'],
      ...['browser', 'relay', 'react', 'next', 'player-messages', 'workers', 'outbox-in-a-page'],
      ...['location', 'location-in-a-page', 'location-signals', 'behind-a-proxy'],
      ...['outbox', 'scale-out', 'transactions', 'queues', 'queue-consumers', 'licences', 'import', 'move-to-postgres'],
      ...['mock-gateway', 'test-in-ci', 'faults', 'faults-of-answers'],
      ...['check', 'going-live', 'runbook', 'on-call', 'revoked-key', 'when-a-database-fails', 'telemetry', 'upgrade'],
      ...['proof', 'encryption', 'retention'],
    ],
  },
  {
    title: 'Reference',
    folder: 'reference',
    pages: ['methods', 'options', 'errors', 'store-errors', 'missing-packages', 'limits', 'outbox-options', 'relay', 'mock-gateway', 'glossary'],
  },
  { title: 'Background', folder: 'background', pages: ['delivery', 'assumptions', 'security', 'performance', 'sizing'] },
];

/** Files of the project that are pages of the site, too. */
export const project = { 'CHANGELOG.md': 'project/changes.md', 'CONTRIBUTING.md': 'project/contributing.md' };
