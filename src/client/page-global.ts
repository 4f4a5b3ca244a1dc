import { ReportingError } from '../errors/errors.js';
import * as guards from '../errors/guards.js';
import { playerMessageIn } from '../errors/player-message.js';
import { fixedLocation } from '../location/fixed-location.js';
import { locationPermission } from '../location/page/permission.js';
import { asRecord } from '../platform/as-record.js';
import { version } from '../platform/version.js';
import type { CreateClient } from './client.js';
import { configureBy, locate, reportBetEvent, reportSettledBet, reportSettledWithdrawal, reportWithdrawalEvent, resend, verifyNin } from './default-client.js';
import type { EarlyCall, EarlyClient } from './early-calls.js';
import type { PageGlobal } from './page-global-types.js';

/** The global of every script-tag file. */
export const pageGlobal = (createClient: CreateClient): PageGlobal => ({
  configure: configureBy(createClient),
  createClient,
  fixedLocation,
  ...guards,
  locate,
  locationPermission,
  // English only. Other languages are passed as `messages`, so they add nothing to other pages.
  playerMessage: playerMessageIn({}),
  ReportingError,
  reportBetEvent,
  reportSettledBet,
  reportSettledWithdrawal,
  reportWithdrawalEvent,
  resend,
  verifyNin,
  version,
});

/** Puts `LocationSDK` on the global object, and makes the calls that waited for it. */
export function install(sdk: PageGlobal): void {
  const { LocationSDK: there } = globalThis as { LocationSDK?: { ReportingError?: unknown; queue?: EarlyCall[] } };
  // A second load changes nothing. The stub, and an element of the page with this id, have no ReportingError and are replaced.
  if (typeof there?.ReportingError === 'function') return;
  const queue = Array.isArray(there?.queue) && there.queue;
  Object.assign(globalThis, { LocationSDK: queue ? { ...sdk, queue } : sdk });
  if (!queue) return;
  const clients = new Map<EarlyClient, object>();
  const targetOf = (of: EarlyClient | undefined): object => {
    const target = of ? (clients.get(of) ?? sdk.createClient(of.options)) : sdk;
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
