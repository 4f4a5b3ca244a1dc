import { metrics, SpanKind, trace } from '@opentelemetry/api';
import type { EnqueuedReport, Outbox } from '../outbox/interface.js';
import type { ValidationMode } from '../schema/model.js';
import { reference, which } from './attributes.js';
import { countEvents } from './count-events.js';
import { observeStats } from './observe-stats.js';
import { type OutboxInstrumentationOptions, SCOPE } from './options.js';
import { quietly } from './quietly.js';
import { spanned } from './spanned.js';

/**
 * An outbox that tells OpenTelemetry what it does: counters of its events, gauges of its store, a span for each report
 * that is enqueued. Its attempts are told by its client, if that is one of `instrumentClient`. The gauges end with `stop`
 * and begin again with `start`. No attribute holds a secret or personal data; `bet_id` and `request_id` are in spans only.
 * Telemetry that fails, or a meter that throws, disturbs no report. Instrument an outbox once, and use the one returned.
 *
 * @example
 * ```ts
 * const outbox = instrumentOutbox(createOutbox({ client: instrumentClient(createClient()), store }), { meterProvider });
 * outbox.start();
 * ```
 */
export function instrumentOutbox<Mode extends ValidationMode = 'strict'>(outbox: Outbox<Mode>, options: OutboxInstrumentationOptions = {}): Outbox<Mode> {
  const meter = (options.meterProvider ?? metrics).getMeter(SCOPE);
  const tracer = (options.tracerProvider ?? trace).getTracer(SCOPE);
  countEvents(meter, outbox);
  const begin = () => (options.observeStats === false ? undefined : observeStats(meter, outbox));
  let end = begin();

  const enqueue =
    <Given extends unknown[]>(operation: string, method: (...given: Given) => Promise<EnqueuedReport>) =>
    (...given: Given): Promise<EnqueuedReport> => {
      const span = { name: `enqueue ${operation}`, kind: SpanKind.PRODUCER, attributes: which(operation, undefined) };
      return spanned(
        tracer,
        span,
        () => method(...given),
        ({ id, state }) => {
          const [environment, , ...rest] = id.split(':');
          return { ...which(operation, environment), ...reference(rest.join(':')), 'location_sdk.report.state': state };
        },
      );
    };

  const instrumented: Partial<Outbox<Mode>> = {
    reportBetEvent: enqueue('reportBetEvent', outbox.reportBetEvent),
    reportSettledBet: enqueue('reportSettledBet', outbox.reportSettledBet),
    reportWithdrawalEvent: enqueue('reportWithdrawalEvent', outbox.reportWithdrawalEvent),
    reportSettledWithdrawal: enqueue('reportSettledWithdrawal', outbox.reportSettledWithdrawal),
    reportAll: (reports) => {
      const size = quietly(() => reports.length) ?? 0;
      const span = { name: 'enqueue reportAll', kind: SpanKind.PRODUCER, attributes: { 'location_sdk.batch.size': size } };
      return spanned(
        tracer,
        span,
        () => outbox.reportAll(reports),
        (results) => ({ 'location_sdk.batch.refused': results.filter(({ status }) => status === 'rejected').length }),
      );
    },
    start: () => {
      end ??= begin();
      outbox.start();
    },
    stop: async (given) => {
      await outbox.stop(given);
      end?.();
      end = undefined;
    },
  };
  // With getters as they are, and whatever else an outbox has.
  const members = { ...Object.getOwnPropertyDescriptors(outbox), ...Object.getOwnPropertyDescriptors(instrumented) };
  return Object.defineProperties({}, members) as Outbox<Mode>;
}
