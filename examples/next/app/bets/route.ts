import { clientIpFrom, isReportingError, playerMessage } from 'location-sdk';
import { openReports } from '../../lib/reports';

export const dynamic = 'force-dynamic';

/** Your own route: it places the bet and reports it. A repeated request with the same key is the same bet. */
export async function POST(request: Request) {
  try {
    const { placeOnce } = await openReports();
    // Behind your proxy. A route handler of Next.js does not see the address of the connection.
    const clientIP = clientIpFrom(request, { trustedProxies: 1 });
    return Response.json(await placeOnce(await request.json(), clientIP));
  } catch (error) {
    // Your database may have committed the bet, although it gave an error.
    const message = playerMessage(isReportingError(error) ? error : 'in-doubt').text;
    return Response.json({ message }, { status: 503 });
  }
}
