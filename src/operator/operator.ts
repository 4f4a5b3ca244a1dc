import { newSecret } from '../outbox/seal/key-ring.js';
import { readReportBody } from './body.js';
import { readCharts } from './charts.js';
import { contextOf } from './context.js';
import { decide } from './decide.js';
import { decideFile } from './decide-file.js';
import { readDecisions } from './decision-log.js';
import { readGroups } from './groups.js';
import { readOverview } from './overview.js';
import { preview } from './preview.js';
import { reconcileShown, verifySteps } from './proof.js';
import { readDetails } from './report-details.js';
import { resume } from './resume.js';
import { search } from './search.js';
import { undo } from './undo.js';

interface OperatorOptions {
  /**
   * The outbox of `createOutbox`: the operator sees only its accounts, wakes its worker and emits its events. Or a
   * store, as the command line uses it: the operator sees all accounts, and cannot open encrypted bodies.
   */
  readonly over: object;
  /** The begin of the commands to copy. Default: `npx location-sdk outbox <store>`. */
  readonly command?: string | undefined;
  /** Whether a decision that ends a report keeps its body. Default: as the outbox does; over a store, false. */
  readonly keepBodies?: boolean | undefined;
}

/**
 * Makes everything that an operator does with an outbox: the console and the command line read and decide through
 * these functions. All results are JSON, and only `body` returns a body. Texts from outside (references, messages of
 * the gateway, reasons) have their control characters escaped. Times are by the store's clock.
 *
 * A function that refuses a request rejects with an `OperatorRefusal` and changes nothing. The caller checks
 * permissions and the form of its input. Throws a `ConfigurationError` unless `over` is an outbox or a store, and keeps
 * decisions.
 */
export function createOperator({ over, command = 'npx location-sdk outbox <store>', keepBodies }: OperatorOptions) {
  const context = contextOf(over, command, keepBodies);
  const { store } = context;
  const bound =
    <Given extends readonly unknown[], Result>(
      work: (from: typeof context, ...given: Given) => Result,
    ): ((...given: Given) => Result) =>
    (...given) =>
      work(context, ...given);
  return {
    /** Undefined: all accounts of the store. */
    accounts: context.accounts,
    overview: bound(readOverview),
    charts: bound(readCharts),
    groups: bound(readGroups),
    search: bound(search),
    report: bound(readDetails),
    body: bound(readReportBody),
    preview: bound(preview),
    decide: bound(decide),
    decideFile: bound(decideFile),
    undo: bound(undo),
    decisions: bound(readDecisions),
    resume: bound(resume),
    /** The key for the tokens of pages, which all processes of the store share. The first call makes it. */
    secret: () => store.getOrCreateSetting('console-secret', newSecret()),
    proof: {
      verify: bound(verifySteps),
      reconcile: bound(reconcileShown),
    },
  };
}

export type Operator = ReturnType<typeof createOperator>;
