import type { ClientMode } from '../../core/client/payloads.js';
import { isStoreError } from '../../core/errors/store-error.js';
import { asRecord } from '../../core/platform/as-record.js';
import { allSettled, numbered } from '../../core/platform/portable.js';
import { operations } from '../../core/protocol/operations.js';
import { checkOptions } from '../backend-options.js';
import { type Intake, type ReportCall, readReportByName } from '../intake/enqueue.js';
import type { Outbox, ReplacedAll } from '../interface.js';
import { inBatches } from '../receipts/log.js';
import { readReference } from '../receipts/reconcile.js';
import { replaced } from '../rules/decisions.js';
import { operationScope, type PauseScope, pauseKeyOf } from '../rules/destination.js';
import type { Decision } from '../rules/state-machine.js';
import { ensureOwnGateways } from '../sending/bindings.js';
import type { AccountSettings, OutboxSettings } from '../settings.js';
import { type DecidedReport, type DecisionPlace, decideRows, type Planned, TRIES } from './decide-rows.js';
import { endPauses, type PausePlace } from './end-pauses.js';
import { givenMember, ownRow, prepareCorrection, reasonOf, refusal } from './replacement.js';

/** The number of reports in a commit: workers wait for it. */
export const CORRECTED_TOGETHER = 100;

interface Parts {
  readonly settings: OutboxSettings;
  readonly account: AccountSettings;
  readonly intake: Intake;
  readonly place: DecisionPlace & PausePlace;
  /** Hears of the settlements that could not be reopened with their reports. */
  notReopened(settlements: readonly DecidedReport[]): void;
}

interface Item {
  readonly index: number;
  readonly given: ReportCall;
}

export function replaceAllMethod<Mode extends ClientMode>({
  settings,
  account: { account, internals },
  intake,
  place,
  notReopened,
}: Parts): Outbox<Mode>['replaceAll'] {
  const { store, seal } = settings;

  return async (corrections, given) => {
    checkOptions('replaceAll', given);
    const reason = reasonOf('replaceAll', given);
    const decision: Decision = { action: 'replaced', reason, at: internals.clock.now() };
    await ensureOwnGateways(settings);
    const refused: ReplacedAll['refused'][number][] = [];
    const scopes = new Map<string, PauseScope>();
    let [changed, same] = [0, 0];

    /** Undefined if the report has this data already. */
    async function plan(call: ReportCall): Promise<Planned | undefined> {
      const { operation, payload, options } = readReportByName(call);
      const reference = givenMember(payload, operations[operation].reference);
      const { environment = internals.environment ?? 'relay' } = asRecord(options);
      const names = { method: 'replaceAll', account };
      const row = await ownRow(
        store,
        readReference({ reference, operation, environment }, {}, names).id,
        account,
        'replaceAll',
      );
      const { isSame, why, replacement } = await prepareCorrection(intake, seal, row, payload, asRecord(options));
      if (isSame) return undefined;
      if (!replacement || why !== undefined) throw refusal('replaceAll', `${row.id}: ${why}`);
      return { row, change: replaced(row, decision, replacement) };
    }

    async function commit(batch: readonly Item[], tries = 1): Promise<void> {
      const plans = await allSettled(batch.map(async (one) => ({ ...one, planned: await plan(one.given) })));
      for (const [at, { status, ...one }] of numbered(plans)) {
        if (status === 'fulfilled') continue;
        const error = asRecord(one).reason;
        if (isStoreError(error)) throw error;
        refused.push({ index: batch[at]?.index ?? 0, error });
      }
      const found = plans.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const own = found.flatMap(({ planned }) => planned ?? []);
      same += found.length - own.length;
      const results = await decideRows(place, own, decision);
      const late: Item[] = [];
      for (const { planned, ...item } of found) {
        const result = planned && results.find(({ id }) => id === planned.row.id);
        if (!result) continue;
        if (result.isLate && tries < TRIES) late.push(item);
        else if (!result.row)
          refused.push({ index: item.index, error: refusal('replaceAll', `${result.id}: ${result.why}`) });
        else {
          changed += 1;
          scopes.set(pauseKeyOf(result.row), operationScope(result.row));
        }
      }
      notReopened(results.filter(({ id }) => !own.some(({ row }) => row.id === id)));
      if (late.length > 0) await commit(late, tries + 1);
    }

    let index = 0;
    for await (const batch of inBatches(corrections, CORRECTED_TOGETHER))
      await commit(batch.map((given) => ({ index: index++, given })));
    for (const scope of scopes.values()) await endPauses(place, scope);
    return { replaced: changed, same, refused: refused.sort((a, b) => a.index - b.index) };
  };
}
