// The menu of the site: drawers in their order, pages in theirs. A page that stands nowhere here is an error of `npm run docs`.

/** @type {readonly { title: string, folder: string, pages: readonly string[] }[]} */
export const drawers = [
  { title: 'Start', folder: 'start', pages: [] },
  {
    title: 'How to',
    folder: 'how-to',
    pages: ['browser', 'relay', 'location', 'outbox', 'scale-out', 'queues', 'licences', 'import', 'mock-gateway', 'going-live', 'telemetry'],
  },
  { title: 'Reference', folder: 'reference', pages: ['errors'] },
  { title: 'Background', folder: 'background', pages: ['assumptions', 'security', 'performance'] },
];

/** Files of the project that are pages of the site, too. */
export const project = { 'CHANGELOG.md': 'project/changes.md', 'CONTRIBUTING.md': 'project/contributing.md' };
