import { optionTable } from '../../../../src/core/client/option-table.js';
import { createBrowserGeolocation } from '../../../../src/core/location/page/geolocation.js';
import { type GeolocationEvent, type PageScope, readPage } from '../../../../src/core/location/page/page.js';
import type { LocationSettings } from '../../../../src/core/location/settings.js';
import { complete } from '../../../../src/core/schema/option-rules.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { type Asked, FakePage } from './fake-page.js';

export const LAGOS = { latitude: 6.4474, longitude: 3.3903, accuracy: 12 };
export const ABUJA = { latitude: 9.0579, longitude: 7.4951, accuracy: 900 };

const defaults = complete(optionTable.location.browser, {});

/** A client's geolocation on a page that answers as the test says, with a clock that stands still. */
export function open(
  changes: Partial<LocationSettings['browser']> = {},
  prepare: (page: FakePage) => PageScope = (page) => page,
  onEvent?: (event: GeolocationEvent) => void,
) {
  const clock = new FakeClock();
  const page = new FakePage();
  const geolocation = createBrowserGeolocation(
    { ...defaults, ...changes },
    { page: readPage(prepare(page), undefined), clock, onEvent },
  );
  const ask = (milliseconds = 20_000, signal?: AbortSignal) => geolocation.ask({ milliseconds, signal });
  const settled = (milliseconds?: number, signal?: AbortSignal) => clock.run(ask(milliseconds, signal));
  const grant = (coords: object = LAGOS, timestamp?: number) => {
    page.answer = ({ success }) => success({ coords, ...(timestamp !== undefined && { timestamp }) } as never);
  };
  const refuse = (code: number, message?: string) => {
    page.answer = ({ failure }) => failure({ code, ...(message !== undefined && { message }) });
  };
  return { clock, page, ask, settled, grant, refuse };
}

/** The last request that the browser received. */
export const last = ({ asked }: FakePage): Asked => {
  const found = asked.at(-1);
  if (!found) throw new Error('the browser was not asked');
  return found;
};

/** The answer of `permissions.query`. */
export const permitted = (state: string) => async () => ({ state });
