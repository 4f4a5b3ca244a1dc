import { ConfigurationError, isReportingError } from '../errors/errors.js';
import { playerMessageIn } from '../errors/player-message.js';
import { locationPermission } from '../location/page/page.js';
import { fixedLocation } from '../location/source.js';
import { asRecord } from '../platform/as-record.js';
import { unsupported } from '../platform/unsupported.js';
import { version } from '../platform/version.js';
import type { CreateClient } from './client.js';
import { configureBy, reportSettledBet, reportSettledWithdrawal, verifyNin } from './default-client.js';
import type { EarlyCall, EarlyClient } from './early-calls.js';
import type { PageOptions } from './options.js';
import {
  type CreatePageClient,
  type PageClient,
  reportBetEvent,
  reportWithdrawalEvent,
  resend,
} from './page-functions.js';
import { locate } from './page-locate.js';
import { postOnce } from './post-once.js';

/** The members of the one global `LocationSDK`, the same in every script-tag file. */
export interface PageGlobal {
  /**
   * Sets up the client behind the functions, for a page with a relay. Calling it again replaces the client. With your own
   * key in the page (`allowApiKeyInBrowser`) use `createClient`, whose types fit.
   */
  readonly configure: (options: PageOptions) => void;
  /** Makes a client: with `relayUrl` for a page and its relay. */
  readonly createClient: CreateClient;
  /** Makes a location that every call uses, for tests and fixed terminals. */
  readonly fixedLocation: typeof fixedLocation;
  /** Finds the player's location without reporting anything. Works without `configure`, too. */
  readonly locate: typeof locate;
  /** Returns whether the player allows the location, without asking. */
  readonly locationPermission: typeof locationPermission;
  /** A message for a player with what to do, for an error. */
  readonly playerMessage: ReturnType<typeof playerMessageIn>;
  /** Posts a bet or withdrawal to your own route, with the position: the same content is one bet. */
  readonly postOnce: typeof postOnce;
  /** Reports an initiated bet: step 1 of 4. The relay adds the player. */
  readonly reportBetEvent: PageClient['reportBetEvent'];
  /** Never available in a page: rejects with an error that says so. */
  readonly reportSettledBet: typeof reportSettledBet;
  /** Never available in a page: rejects with an error that says so. */
  readonly reportSettledWithdrawal: typeof reportSettledWithdrawal;
  /** Reports an initiated withdrawal: step 3 of 4. The relay adds the player. */
  readonly reportWithdrawalEvent: PageClient['reportWithdrawalEvent'];
  /** Sends the report that an error keeps again, with the same bytes. */
  readonly resend: PageClient['resend'];
  /** Never available in a page: rejects with an error that says so. */
  readonly verifyNin: typeof verifyNin;
  /** Why this browser is too old, for developers: then nothing can be reported. Undefined if it is new enough. */
  readonly unsupported: string | undefined;
  /** The version of the package. */
  readonly version: string;
  /** Whether a value is an error of this package. Its `code` then narrows its type. */
  readonly isReportingError: typeof isReportingError;
}

function refuse(): never {
  throw new ConfigurationError(unsupported ?? '');
}

export function pageGlobal(given: CreatePageClient): PageGlobal {
  const createClient = (unsupported ? refuse : given) as CreateClient;
  return {
    configure: configureBy(createClient),
    createClient,
    fixedLocation,
    isReportingError,
    locate,
    locationPermission,
    // English only. Other languages are passed as `messages`, so they add nothing to other pages.
    playerMessage: playerMessageIn({}),
    postOnce,
    reportBetEvent,
    reportSettledBet,
    reportSettledWithdrawal,
    reportWithdrawalEvent,
    resend,
    unsupported,
    verifyNin,
    version,
  };
}

/** Puts `LocationSDK` on the global object, and makes the calls that waited for it. */
export function install(sdk: Pick<PageGlobal, 'version'> & Partial<PageGlobal>): void {
  const { LocationSDK: there } = globalThis as { LocationSDK?: Partial<PageGlobal> & { queue?: EarlyCall[] } };
  // A second load changes nothing. The stub, and an element of the page with this id, have no version and are replaced.
  // So is the file that only locates, by one that also reports.
  if (there?.version && (there.createClient || !sdk.createClient)) return;
  if (sdk.unsupported) console.error(sdk.unsupported);
  const queue = Array.isArray(there?.queue) && there.queue;
  Object.assign(globalThis, { LocationSDK: queue ? { ...sdk, queue } : sdk });
  if (!queue) return;
  const clients = new Map<EarlyClient, object>();
  const targetOf = (of: EarlyClient | undefined): object => {
    const target = of ? (clients.get(of) ?? sdk.createClient?.(of.options) ?? {}) : sdk;
    if (of) clients.set(of, target);
    return target;
  };
  // An invalid queue entry fails alone. Later entries still run.
  const call = async ([name, given, resolve, reject, of]: EarlyCall) => {
    try {
      resolve(await (asRecord(targetOf(of))[name] as (...given: never[]) => never)(...given));
    } catch (error) {
      reject(error);
    }
  };
  queue.splice(0).forEach(call);
  // For code that still holds a function of the stub.
  queue.push = (...calls) => calls.map(call).length;
}
