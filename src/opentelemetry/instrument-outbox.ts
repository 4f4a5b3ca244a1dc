import { type Attributes, SpanKind, type SpanOptions } from '@opentelemetry/api';
import type { CallOptions } from '../core/client/options.js';
import type { ClientMode } from '../core/client/payloads.js';
import { refuseOtherNames } from '../core/errors/errors.js';
import { ofReports } from '../core/protocol/operations.js';
import type { EnqueuedReport, Outbox, OutboxReports, PreparedReport } from '../outbox/interface.js';
import { callAttributes, idAttributes, reportAttributes } from './attributes.js';
import { instrumentsOf, type OutboxInstrumentationOptions, quietly } from './instruments.js';
import { countEvents, observeStats } from './outbox-metrics.js';
import { spanned } from './spanned.js';

/**
 * Returns an outbox that reports to OpenTelemetry: counters of its events, gauges of its store, and a span for each
 * enqueued report. Its attempts are reported by its client, if that comes from `instrumentClient`. The gauges are read
 * as long as the process runs and the store is open. No attribute contains a secret or personal data; `bet_id` and
 * `request_id` are in spans only. Telemetry that fails, or a meter that throws, does not affect a report. Instrument an
 * outbox once, and use the returned one.
 *
 * @example
 * ```ts
 * const outbox = instrumentOutbox(createOutbox({ client: instrumentClient(createClient()), store }), { meterProvider });
 * outbox.start();
 * ```
 */
export function instrumentOutbox<Mode extends ClientMode = 'strict'>(
  outbox: Outbox<Mode>,
  options: OutboxInstrumentationOptions = {},
): Outbox<Mode> {
  refuseOtherNames('instrumentOutbox', ['meterProvider', 'tracerProvider', 'observeStats'], options);
  const { meter, tracer } = instrumentsOf(options);
  const countWithin = countEvents(meter, outbox);
  if (options.observeStats !== false) observeStats(meter, outbox);

  const traced = <T>(
    span: SpanOptions & { readonly name: string },
    work: () => Promise<T>,
    attributes: (value: T) => Attributes,
  ) => spanned(tracer, span, work, (value) => ({ attributes: attributes(value) }));

  const enqueue =
    <Payload>(
      operation: string,
      method: (payload: Payload, options?: CallOptions) => Promise<EnqueuedReport<Mode>>,
      inTransaction = false,
    ): ((payload: Payload, options?: CallOptions) => Promise<EnqueuedReport<Mode>>) =>
    async (payload, given) => {
      const attributes = callAttributes(operation, undefined);
      const report = await traced(
        { name: `enqueue ${operation}`, kind: SpanKind.PRODUCER, attributes },
        () => method(payload, given),
        ({ id, state }) => ({ ...attributesOf(operation, id), 'location_sdk.report.state': state }),
      );
      if (inTransaction) countWithin(operation, report.id);
      return report;
    };

  /**
   * Counts what is enqueued through the report itself. Only the database can count what a user's own statement inserts.
   */
  const prepare: Outbox<Mode>['prepare'] = async (operation, payload, given) => {
    // Not named after the operation: its name may be misspelt, and then contain any data.
    const report = await traced(
      { name: 'prepare report', kind: SpanKind.INTERNAL, attributes: {} },
      () => outbox.prepare(operation, payload, given),
      ({ id }) => attributesOf(operation, id),
    );
    const enqueuePrepared = (...transaction: readonly [transaction?: unknown]) =>
      enqueue(operation, () => report.enqueue(...transaction), transaction.length > 0)(payload, given);
    const members = {
      ...Object.getOwnPropertyDescriptors(report),
      enqueue: { value: enqueuePrepared, enumerable: true },
    };
    return Object.defineProperties({}, members) as PreparedReport<Mode>;
  };

  const enqueues = (from: OutboxReports<Mode>, inTransaction?: boolean): OutboxReports<Mode> =>
    ofReports((name) =>
      enqueue(name, from[name] as (payload: unknown) => Promise<EnqueuedReport<Mode>>, inTransaction),
    );

  const instrumented: Partial<Outbox<Mode>> = {
    ...enqueues(outbox),
    within: (transaction) => enqueues(outbox.within(transaction), true),
    prepare,
    reportAll: async (reports) => {
      const size = quietly(() => reports.length) ?? 0;
      return traced(
        { name: 'enqueue reportAll', kind: SpanKind.PRODUCER, attributes: { 'location_sdk.batch.size': size } },
        () => outbox.reportAll(reports),
        (all) => ({ 'location_sdk.batch.refused': all.filter(({ status }) => status === 'rejected').length }),
      );
    },
  };
  // Keeps getters, and all other members of an outbox.
  const members = { ...Object.getOwnPropertyDescriptors(outbox), ...Object.getOwnPropertyDescriptors(instrumented) };
  return Object.defineProperties({}, members) as Outbox<Mode>;
}

const attributesOf = (operation: string, id: string) => ({
  ...idAttributes(operation, id),
  ...reportAttributes(id.split(':').slice(3).join(':')),
});
