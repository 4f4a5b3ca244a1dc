import { openReports } from '../../lib/reports.js';

export const dynamic = 'force-dynamic';

/** Your own route. A bet exists once your backend has stored it, and counts once it is reported. */
export async function POST(/** @type {Request} */ request) {
  const { placeBet } = await openReports();
  const key = request.headers.get('idempotency-key') ?? '';
  if (!/^[\w-]{36}$/.test(key)) return Response.json({ message: 'The key of the bet is missing.' }, { status: 400 });
  return Response.json({ bet_id: placeBet(key, 1500) });
}
