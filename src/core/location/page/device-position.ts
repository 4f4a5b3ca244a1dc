import type { LocationFailure } from '../../errors/errors.js';
import type { LocationSettings, Surroundings } from '../settings.js';
import { type LocationSource, withSource } from '../source.js';
import { createBrowserGeolocation } from './geolocation.js';
import { readPage } from './page.js';

const ADVICE: { readonly [Reason in LocationFailure]?: string } = {
  denied: 'ask the player to allow location, or pass location',
  'blocked-by-policy':
    'allow geolocation in the Permissions-Policy header, and by allow="geolocation" on the iframe, or pass location',
  'insecure-context': 'serve the page over https, or pass location',
  'page-hidden': 'call again while the player sees the page, or pass location',
};

/** The share of a short call's remaining time. If the player does not decide, time is left for the next source. */
const SHARE = 2 / 3;

interface DeviceSettings extends Pick<LocationSettings, 'browser'> {
  readonly sourceNames: Pick<LocationSettings['sourceNames'], 'gps'>;
}

export function devicePosition(
  settings: DeviceSettings,
  { scope, geolocation: given, clock, onEvent }: Omit<Surroundings, 'fetch'>,
): LocationSource {
  const geolocation = createBrowserGeolocation(settings.browser, { page: readPage(scope, given), clock, onEvent });
  return {
    async find({ deadline, signal, isLast }) {
      const started = clock.now();
      const left = deadline - started;
      const asked = await geolocation.ask({
        milliseconds: Math.min(settings.browser.timeoutMs, isLast ? left : left * SHARE),
        signal,
      });
      const step = { step: 'browser-geolocation', durationMs: clock.now() - started };
      if (!asked.position)
        return {
          location: undefined,
          steps: [{ ...step, reason: asked.reason, message: asked.message }],
          advice: ADVICE[asked.reason],
        };
      return { location: withSource(asked.position, settings.sourceNames.gps), ageMs: asked.ageMs, steps: [step] };
    },
  };
}
