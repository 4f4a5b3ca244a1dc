import type { FoundStep, LocationFailure, LocationStep } from '../errors.js';
import { type Clock, type Limited, limited } from '../time.js';
import type { Fetch } from '../web-types.js';
import { type IpLocation, type IpProvider, LookupFailure } from './provider.js';
import { placeName } from './providers/answer.js';
import type { Rests } from './resting.js';

export interface ServiceSettings {
  readonly providers: readonly IpProvider[];
  /** For each service. */
  readonly timeoutMs: number;
  /** How long a service may take before the next one is started beside it; undefined for no such start. */
  readonly hedgeAfterMs: number | undefined;
}

export type LookupResult =
  | { found: IpLocation; ageMs: number; steps: readonly (LocationStep | FoundStep)[] }
  | { found?: never; steps: readonly LocationStep[] };

/** One walk through the services for one address; any number of callers may wait for it. */
export interface Inquiry {
  /** Settles when there is an answer or nobody is left to be asked. */
  readonly done: Promise<unknown>;
  /** What has come of it so far; `unfinished` says why the caller waits no longer, of services that have not answered. */
  report(unfinished: 'timeout' | 'aborted'): LookupResult;
  /** Ends it: nobody waits any more. */
  abandon(): void;
}

interface Failure {
  readonly reason: LocationFailure;
  readonly message: string;
}

/** A service that was asked, or left alone. */
interface Asked {
  readonly step: string;
  readonly started: number;
  /** Undefined while it goes on. */
  durationMs?: number;
  failure?: Failure;
}

const OVER = { reason: 'timeout', message: 'the time for finding a location was over' } as const;
const OVERTAKEN = { reason: 'overtaken', message: 'another service answered first' } as const;

/** The step of a service for which there was no time. */
export const notReached = ({ name }: IpProvider): LocationStep => ({ step: name, durationMs: 0, ...OVER });

/**
 * Asks one service after the other, in order of preference, until one knows. The next one starts when the one before
 * has failed, or, with `hedgeAfterMs`, has taken that long. A service that rests is left out; but when nobody else
 * knows, the one whose rest ends first is asked all the same: an event is worth more than a rest.
 */
export function askServices(ip: string | undefined, settings: ServiceSettings, world: { fetch: Fetch; clock: Clock; rests: Rests }): Inquiry {
  const { providers, timeoutMs, hedgeAfterMs } = settings;
  const { fetch, clock, rests } = world;
  const over = new AbortController();
  const asked: Asked[] = [];
  const leftAlone: { service: number; provider: IpProvider; entry: Asked }[] = [];
  let reached = 0;
  let best: { service: number; asked: Asked; found: IpLocation } | undefined;

  async function ask(service: number, provider: IpProvider): Promise<void> {
    const entry: Asked = { step: provider.name, started: clock.now() };
    asked.push(entry);
    const answer = await limited(async (signal) => usable(await provider.lookup({ ip, fetch, signal })), {
      clock,
      milliseconds: timeoutMs,
      signal: over.signal,
    });
    entry.durationMs = clock.now() - entry.started;
    if (answer.ended === 'aborted') return;
    if (answer.ended === 'done' && answer.value) {
      rests.end(service);
      // Two may be there at once: then preference decides.
      if (!best || service < best.service) best = { service, asked: entry, found: answer.value };
      over.abort();
      return;
    }
    const failure = failureOf(answer, timeoutMs);
    // Of an error only these two are shown.
    entry.failure = { reason: failure.reason, message: failure.message };
    rests.begin(service, failure);
  }

  async function askAll(): Promise<void> {
    const running: Promise<void>[] = [];
    for (const [service, provider] of providers.entries()) {
      if (over.signal.aborted) break;
      reached = service + 1;
      const rest = rests.of(service);
      if (rest) {
        const message = `it rests for about ${Math.ceil(rest.leftMs / 1000)} s (${rest.why})`;
        const entry: Asked = { step: provider.name, started: clock.now(), durationMs: 0, failure: { reason: 'resting', message } };
        leftAlone.push({ service, provider, entry });
        asked.push(entry);
        continue;
      }
      const ended = ask(service, provider);
      running.push(ended);
      await (hedgeAfterMs === undefined ? ended : limited(() => ended, { clock, milliseconds: hedgeAfterMs, signal: over.signal }));
    }
    await Promise.all(running);
    if (!over.signal.aborted) await askLastResort();
  }

  async function askLastResort(): Promise<void> {
    const left = ({ service }: { service: number }) => rests.of(service)?.leftMs ?? 0;
    const [first] = leftAlone.sort((a, b) => left(a) - left(b));
    if (!first) return;
    const { service, provider, entry } = first;
    // What it says now tells more than that it rested.
    asked.splice(asked.indexOf(entry), 1);
    await ask(service, provider);
  }

  return {
    done: askAll().finally(() => over.abort()),
    report(unfinished) {
      const step = ({ step, started, durationMs = clock.now() - started }: Asked): FoundStep => ({ step, durationMs });
      const failed = (entry: Asked, otherwise: Failure): LocationStep => ({ ...step(entry), ...(entry.failure ?? otherwise) });
      if (best) {
        const { asked: winner, found } = best;
        return { found, ageMs: 0, steps: [...asked.filter((entry) => entry !== winner).map((entry) => failed(entry, OVERTAKEN)), step(winner)] };
      }
      const waited = (entry: Asked): Failure =>
        unfinished === 'aborted'
          ? { reason: 'aborted', message: 'the call was aborted' }
          : { reason: 'timeout', message: `no answer within ${step(entry).durationMs} ms` };
      const tried = asked.map((entry) => failed(entry, waited(entry)));
      return { steps: unfinished === 'aborted' ? tried : [...tried, ...providers.slice(reached).map(notReached)] };
    },
    abandon: () => over.abort(),
  };
}

function failureOf(answer: Limited<unknown>, timeoutMs: number): LookupFailure {
  if (answer.ended === 'timeout') return new LookupFailure('timeout', `no answer within ${timeoutMs} ms`);
  if (answer.ended === 'done') return new LookupFailure('bad-answer', 'the service does not know where the address is');
  return answer.ended === 'failed' && answer.error instanceof LookupFailure ? answer.error : new LookupFailure('bad-answer', 'the lookup threw an error');
}

/** A service's answer, if it has coordinates that can be: 0, 0 is what services write when they do not know. */
function usable(answer: IpLocation | undefined): IpLocation | undefined {
  const { latitude, longitude, accuracy, city, region, country } = answer ?? {};
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) || (latitude === 0 && longitude === 0)) return undefined;
  return {
    latitude,
    longitude,
    city: placeName(city),
    region: placeName(region),
    country: placeName(country),
    accuracy: Number.isFinite(accuracy) ? accuracy : undefined,
  };
}
