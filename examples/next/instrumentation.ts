/**
 * Next.js calls this once when the server starts. It sends the reports that an earlier process left, before any
 * request.
 */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { openReports } = await import('./lib/reports');
  await openReports();
}
