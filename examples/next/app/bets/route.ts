import { clientIpFrom, playerMessage } from 'location-sdk';
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
    return Response.json({ message: playerMessage(error).text }, { status: 503 });
  }
}
