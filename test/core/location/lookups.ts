import { createIpLookup, type LookupRequest } from '../../../src/core/location/lookup/ip-lookup.js';
import { type IpLocation, type IpProvider, LookupFailure } from '../../../src/core/location/lookup/provider.js';
import { FakeClock } from '../../support/fake-clock.js';

export const ADDRESS = '102.89.23.45';
export const PLACE: IpLocation = { latitude: 9.07, longitude: 7.49 };

/** A service that records its requests. */
export interface TestService extends IpProvider {
  readonly asked: (string | undefined)[];
  /** The reports of its signals. */
  readonly signals: AbortSignal[];
}

export function service(
  name: string,
  lookup: (clock: FakeClock) => Promise<IpLocation | undefined>,
  clock: FakeClock,
): TestService {
  const asked: (string | undefined)[] = [];
  const signals: AbortSignal[] = [];
  return {
    name,
    asked,
    signals,
    lookup({ ip, signal }) {
      asked.push(ip);
      signals.push(signal);
      return lookup(clock);
    },
  };
}

export const knowing = async () => PLACE;
export const unknowing = async () => undefined;
export const hanging = () => new Promise<never>(() => {});
export const refusing = (retryAfter: string | null = null) =>
  Promise.reject(new LookupFailure('refused', 'rate limited by the lookup service', retryAfter));
export const unreachable = () => Promise.reject(new LookupFailure('unreachable', 'could not connect to the service'));

const STANDARD = { timeoutMs: 4_000, restMs: 60_000, cacheMs: 300_000, cacheSize: 10_000 };

/** The lookup part of a client, over services made with its clock. */
export function lookups(make: (clock: FakeClock) => readonly IpProvider[], settings: Partial<typeof STANDARD> = {}) {
  const clock = new FakeClock();
  const fetch = () => Promise.reject(new Error('these services use no network'));
  const lookUp = createIpLookup(make(clock), { ...STANDARD, ...settings }, { fetch, clock }, 'ip');
  const start = ({ within = 20_000, ...request }: Partial<LookupRequest> & { within?: number } = {}) =>
    lookUp({ ip: ADDRESS, signal: undefined, deadline: clock.now() + within, ...request });
  return {
    clock,
    start,
    /** Starts a lookup and advances the time until there is an answer. */
    find: (request: Parameters<typeof start>[0] = {}) => clock.run(start(request)),
    /** Like `find`, with one line for each step. */
    async steps(request: Parameters<typeof start>[0] = {}) {
      const { steps } = await clock.run(start(request));
      return steps.map(({ step, reason = 'found' }) => `${step}: ${reason}`);
    },
  };
}
