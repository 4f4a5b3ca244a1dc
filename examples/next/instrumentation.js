/** Next.js calls this once when the server starts: reports that an earlier process left are sent, before any page asks. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { openReports } = await import('./lib/reports.js');
  await openReports();
}
