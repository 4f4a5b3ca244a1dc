import type { Frame, Page } from 'playwright-core';
import type {
  BetEvent,
  CallOptions,
  Client,
  ClientOptions,
  Location,
  LocationStep,
  Receipt,
  ReportingError,
  ValidationIssue,
} from '../../src/entries/index.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

/** Data that can be passed into a page: no functions. */
export type PageOptions = Pick<
  ClientOptions,
  'gateways' | 'allowApiKeyInBrowser' | 'allowInsecureHttp' | 'location' | 'retry' | 'timeoutMs'
>;

type ReportingCall = Exclude<keyof Client, 'locate' | 'resend'>;

/** An error as plain data: its `toJSON`. */
export type ErrorData = Pick<ReportingError, 'code' | 'name' | 'message' | 'outcome' | 'attempts' | 'status'> & {
  steps?: LocationStep[];
  issues?: ValidationIssue[];
  retryAfterMs?: number;
};

/** The result of a call: one of the two. */
interface Ended<T> {
  result?: T;
  error?: ErrorData;
}

/** In the page: makes a client with these options and calls it once. */
export function call<Name extends ReportingCall>(
  page: Page,
  name: Name,
  options: PageOptions,
  payload: Parameters<Client<'strict'>[Name]>[0],
  callOptions: CallOptions = {},
): Promise<Ended<Awaited<ReturnType<Client<'strict'>[Name]>>>> {
  return page.evaluate(
    async ([name, options, payload, callOptions]) => {
      // In a task of the page's own: code run by a debugger is exempt from the page's policy.
      await new Promise((resolve) => setTimeout(resolve));
      try {
        const client = LocationSDK.createClient(options);
        const method = client[name] as (payload: unknown, options: unknown) => Promise<unknown>;
        return { result: await method(payload, callOptions) };
      } catch (error) {
        if (!LocationSDK.isReportingError(error)) throw error;
        return { error: error.toJSON() };
      }
    },
    [name, options, payload, callOptions] as const,
  ) as never;
}

/** In a worker that the page starts: like `call`. */
export const callInWorker: typeof call = (page, name, options, payload, callOptions = {}) =>
  page.evaluate(
    (message) =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/worker.js');
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(message);
      }),
    { name, options, payload, callOptions },
  ) as never;

/** In the page or frame: makes a client that stays, with its caches. */
export async function keepClient(page: Page | Frame, options: PageOptions) {
  await page.evaluate((options) => {
    Object.assign(globalThis, { kept: LocationSDK.createClient(options) });
  }, options);
  return {
    /** Its location, or the steps that failed. */
    locate: (): Promise<Partial<Location> & { steps: LocationStep[]; message?: string }> =>
      page.evaluate(() => {
        const { kept } = globalThis as unknown as { kept: Client<'strict'> };
        return kept.locate().catch((error) => error.toJSON());
      }),
    /** Reports them all at the same time. */
    reportBetEvents: (bets: BetEvent[]): Promise<Receipt[]> =>
      page.evaluate((bets) => {
        const { kept } = globalThis as unknown as { kept: Client<'strict'> };
        return Promise.all(bets.map((bet) => kept.reportBetEvent(bet)));
      }, bets),
  };
}

/** In the page: finds the location with a client with these options. */
export const locate = (page: Page, options: PageOptions): Promise<{ result: Location }> =>
  page.evaluate(async (options) => ({ result: await LocationSDK.createClient(options).locate() }), options);
