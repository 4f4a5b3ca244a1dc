import type { ClientMode } from '../../core/client/payloads.js';
import type { Refused } from '../../core/platform/refused.js';
import { checkArgument, checkOptions } from '../backend-options.js';
import type { Events } from '../events.js';
import type { Intake } from '../intake/enqueue.js';
import type { Outbox, OutboxReport } from '../interface.js';
import { decided, decisionsFor } from '../rules/decisions.js';
import type { Change, Decision, Row } from '../rules/state-machine.js';
import { ensureOwnGateways } from '../sending/bindings.js';
import type { Waiters } from '../sending/receipt-waiters.js';
import type { AccountSettings, OutboxSettings } from '../settings.js';
import { toPublicReport } from '../store/public-report.js';
import { type DecidedReport, decideRow } from './decide-rows.js';
import { resumePlace } from './end-pauses.js';
import { decisionPlace } from './operated.js';
import { type Method, ownRow, planCorrection, reasonOf, refusal, replaceAllMethod } from './replacement.js';

interface Parts {
  readonly settings: OutboxSettings;
  readonly account: AccountSettings;
  readonly events: Events;
  readonly waiters: Waiters;
  readonly intake: Intake;
  wake(): void;
}

export function decisionMethods<Mode extends ClientMode>({
  settings,
  account: owner,
  events,
  waiters,
  intake,
  wake,
}: Parts): Pick<Outbox<Mode>, 'retry' | 'resolve' | 'replace' | 'replaceAll' | 'reopen' | 'resume'> {
  const { account, internals } = owner;
  const { store, seal, keepBodies } = settings;
  const place = decisionPlace(store, events, waiters, wake);

  async function decide(
    method: Method,
    id: string,
    given: Pick<Decision, 'action' | 'reason'>,
    changeOf = async (row: Row, decision: Decision): Promise<Change | Refused> => decided(row, decision, keepBodies),
  ): Promise<OutboxReport> {
    const decision: Decision = { ...given, at: internals.clock.now() };
    const plan = async () => {
      const row = await ownRow(store, id, account, method);
      return [{ row, change: await changeOf(row, decision) }];
    };
    const [own, ...settlements] = await decideRow(place, plan, decision);
    if (!own?.row)
      throw refusal(method, `${id}: ${own?.isLate ? 'other processes keep changing it; try again' : own?.why}`);
    notReopened(settlements);
    wake();
    return toPublicReport(own.row);
  }

  function notReopened(settlements: readonly DecidedReport[]): void {
    for (const { id, why } of settlements) {
      if (why === undefined) continue;
      const message = `The settlement ${id} is not reopened: ${why}.`;
      events.emit('error', { message, cause: undefined });
    }
  }

  return {
    retry: async (id, options = {}) => {
      checkOptions('retry', options);
      const reason = options.reason ? reasonOf('retry', options) : '';
      return decide('retry', id, { action: 'retry', reason });
    },
    resolve: async (id, decision) => {
      checkOptions('resolve', decision);
      const { as: action } = decision;
      if (action !== 'recorded' && action !== 'dismissed')
        throw refusal('resolve', "as: expected 'recorded' or 'dismissed'");
      return decide('resolve', id, { action, reason: reasonOf('resolve', decision) });
    },
    replace: async (id, payload, options) => {
      // The options of a call are checked with the payload.
      if (typeof options !== 'object' || options === null)
        throw refusal('replace', 'options: expected an object with the reason');
      const { reason: _, ...callOptions } = options;
      const reason = reasonOf('replace', options);
      return decide('replace', id, { action: 'replaced', reason }, async (row, decision) => {
        const why = decisionsFor(row).replaced;
        // Before a location is looked up for data that would not be taken.
        if (why !== undefined) return { why };
        // A process in mock mode has a location that no player has.
        await ensureOwnGateways(settings);
        return (await planCorrection({ intake, seal }, row, payload, decision, callOptions)).change;
      });
    },
    replaceAll: replaceAllMethod<Mode>({ settings, account: owner, intake, place, notReopened }),
    reopen: async (id, options) => {
      checkOptions('reopen', options);
      return decide('reopen', id, { action: 'reopened', reason: reasonOf('reopen', options) });
    },
    resume: async (environment) => {
      checkArgument('resume', { environment });
      return (await resumePlace(place, { account, environment })).some(({ isResumed }) => isResumed);
    },
  };
}
