import { openReports } from '../../../lib/reports.js';

export const dynamic = 'force-dynamic';

export async function POST(/** @type {Request} */ request) {
  const { relay } = await openReports();
  return relay(request);
}
