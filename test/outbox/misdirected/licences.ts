import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { http, rawGateway } from '../../support/raw-gateway.js';

const SENDER = fileURLToPath(new URL('sender.js', import.meta.url));

/** The store of the two licences: a file, or a schema of a database. */
export type Place = { readonly file: string } | { readonly url: string; readonly schema: string };

/** A gateway that records each report. */
const gatewayOf = () =>
  rawGateway(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return http('200 OK', '{"message":"ok"}');
  });
const arrivedAt = ({ requests }: Awaited<ReturnType<typeof gatewayOf>>) =>
  requests.map(({ headers, body }) => ({
    key: headers['x-api-key'],
    bet: (JSON.parse(body) as { bet_id: string }).bet_id,
  }));

export interface Licence {
  readonly place: Place;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly account?: string;
  readonly references: readonly string[];
}

interface Told {
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

/** Starts a process for a licence. Resolves once all of its reports are enqueued or refused. */
export async function startLicence(licence: Licence) {
  const child = fork(SENDER, [JSON.stringify(licence)]);
  const [first] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`ended with ${code}`))),
  ])) as [Told];
  return {
    accepted: first.accepted,
    async end(): Promise<Told> {
      const last = once(child, 'message');
      child.send('end');
      const [told] = (await last) as [Told];
      await once(child, 'exit');
      return told;
    },
  };
}

const named = (prefix: string) => Array.from({ length: 20 }, (_, index) => `${prefix}-${index}`);

/**
 * Runs two licences over one store, each with its gateway and its key. Returns the reports that arrived at each
 * gateway.
 */
export async function runTwoLicences(place: Place, { accounts }: { accounts: readonly [string, string] | undefined }) {
  const [gatewayA, gatewayB] = [await gatewayOf(), await gatewayOf()];
  try {
    // The references are equal, too: two licences number their bets by themselves.
    const references = { a: [...named('A'), 'SAME'], b: [...named('B'), 'SAME'] };
    const licences = [
      {
        place,
        baseUrl: gatewayA.baseUrl,
        apiKey: 'key-a',
        references: references.a,
        ...(accounts && { account: accounts[0] }),
      },
      {
        place,
        baseUrl: gatewayB.baseUrl,
        apiKey: 'key-b',
        references: references.b,
        ...(accounts && { account: accounts[1] }),
      },
    ] as const;
    const first = await startLicence(licences[0]);
    const second = await startLicence(licences[1]);
    const whole = first.accepted.length + second.accepted.length;
    for (let waited = 0; gatewayA.requests.length + gatewayB.requests.length < whole && waited < 10_000; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const [a, b] = [await first.end(), await second.end()];
    return {
      a: { ...a, arrived: arrivedAt(gatewayA), baseUrl: gatewayA.baseUrl },
      b: { ...b, arrived: arrivedAt(gatewayB), baseUrl: gatewayB.baseUrl },
      references,
    };
  } finally {
    await gatewayA.close();
    await gatewayB.close();
  }
}
