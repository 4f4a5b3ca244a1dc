import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { Client } from '../client/client.js';
import { type ClientInternals, internalsOf, withInternals } from '../client/internals.js';
import type { ClientMode } from '../client/payloads.js';
import { ConfigurationError } from '../errors/errors.js';
import { namesProblem } from '../schema/option-rules.js';
import { callAttributes, ENVIRONMENTS, failureAttributes, reportAttributes, requestAttributes, resultAttributes, serverAttributes } from './attributes.js';
import { instrumentsOf, makeHistogram } from './instruments.js';
import { createLinks } from './links.js';
import type { InstrumentationOptions } from './options.js';
import { quietly } from './quietly.js';
import { spanned } from './spanned.js';

/**
 * Returns a client that reports its calls to OpenTelemetry: a span and a duration for each call, and for each attempt
 * of an outbox that uses the client. The span is active meanwhile, so spans of an instrumented `fetch` become its
 * children. The given client is not changed. No attribute contains a secret or personal data; `bet_id` and `request_id`
 * are in spans only. A failure of telemetry does not affect a call. Throws a `ConfigurationError` if the argument is
 * not a client.
 *
 * @example
 * ```ts
 * const client = instrumentClient(createClient());
 * const outbox = instrumentOutbox(createOutbox({ client, store }));
 * ```
 */
export function instrumentClient<Mode extends ClientMode = 'strict'>(client: Client<Mode>, options: InstrumentationOptions = {}): Client<Mode> {
  const internals = internalsOf(client);
  if (!internals) throw new ConfigurationError('instrumentClient: expected the result of createClient.');
  const problem = namesProblem('instrumentClient', ['meterProvider', 'tracerProvider', 'observeStats'], options);
  if (problem !== undefined) throw new ConfigurationError(problem);
  const { meter, tracer } = instrumentsOf(options);
  const calls = makeHistogram(meter, 'callDuration');
  const attempts = makeHistogram(meter, 'attemptDuration');

  async function timed<T>(histogram: typeof calls, work: () => Promise<T>, told: (value: T) => Attributes, failed: (error: unknown) => Attributes): Promise<T> {
    const since = performance.now();
    const record = (attributes: () => Attributes) => quietly(() => histogram.record((performance.now() - since) / 1_000, attributes()));
    try {
      const value = await work();
      record(() => told(value));
      return value;
    } catch (error) {
      record(() => failed(error));
      throw error;
    }
  }

  const call =
    <Given extends unknown[], T>(operation: string, method: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> => {
      const which = callAttributes(operation, quietly(() => environmentOf(operation, given)) ?? internals.environment);
      const failed = (error: unknown) => ({ ...which, ...failureAttributes(error) });
      // The results of the other methods contain personal data or a place.
      const isReceipt = operation !== 'verifyNin' && operation !== 'locate';
      const told = (value: T) => ({ ...which, ...(isReceipt && receipt(value)) });
      const ended = (value: T) => ({
        ...told(value),
        ...(isReceipt && { ...reportAttributes(text(value, 'reference')), ...requestAttributes(text(value, 'requestId')) }),
      });
      const work = () => spanned(tracer, { name: operation, kind: SpanKind.INTERNAL, attributes: which }, () => method(...given), ended);
      return timed(calls, work, told, failed);
    };

  const instrumented: Client<Mode> = {
    reportBetEvent: call('reportBetEvent', client.reportBetEvent),
    reportSettledBet: call('reportSettledBet', client.reportSettledBet),
    reportWithdrawalEvent: call('reportWithdrawalEvent', client.reportWithdrawalEvent),
    reportSettledWithdrawal: call('reportSettledWithdrawal', client.reportSettledWithdrawal),
    verifyNin: call('verifyNin', client.verifyNin),
    locate: call('locate', client.locate),
    resend: call('resend', client.resend),
  };

  const attempt: ClientInternals['attempt'] = (report, limit) => {
    const { operation, environment } = report;
    const metric = callAttributes(operation, environment);
    const address = internals.gateways[environment ?? 'relay'];
    const attributes = { ...metric, ...reportAttributes(report.reference), ...serverAttributes(address), 'http.request.method': 'POST' };
    const key = keyOf(report);
    const span = { name: `send ${operation}`, kind: SpanKind.CLIENT, attributes, links: links.linksOf(key) };
    const work = () =>
      spanned(
        tracer,
        span,
        () => internals.attempt(report, limit),
        (result) => ({ ...resultAttributes(result), ...requestAttributes(result.requestId) }),
        (result) => ('failure' in result ? result.message : undefined),
      );
    return timed(
      attempts,
      work,
      (result) => {
        if (result.kind === 'recorded') links.forget(key);
        return { ...metric, ...resultAttributes(result) };
      },
      (error) => ({ ...metric, ...failureAttributes(error) }),
    );
  };

  const links = createLinks();
  const freeze: ClientInternals['freeze'] = async (...given) => {
    const enqueuedIn = links.current();
    const report = await internals.freeze(...given);
    links.remember(keyOf(report), enqueuedIn);
    return report;
  };

  return withInternals(instrumented, { ...internals, freeze, attempt });
}

const keyOf = ({ environment, operation, reference }: { environment: string | undefined; operation: string; reference: string | undefined }) =>
  `${environment ?? 'relay'}:${operation}:${reference}`;

/** The environment of a call, if it names a valid one. The call refuses any other value, and no metric shows it. */
function environmentOf(operation: string, [first, options]: readonly unknown[]): string | undefined {
  const said = (operation === 'locate' ? undefined : text(options, 'environment')) ?? text(first, 'environment');
  return ENVIRONMENTS.find((one) => one === said);
}

function text(value: unknown, name: 'environment' | 'reference' | 'outcome' | 'requestId'): string | undefined {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** The attributes of a receipt for metrics. */
function receipt(value: unknown): Attributes {
  const environment = text(value, 'environment');
  const outcome = text(value, 'outcome');
  return { ...(environment !== undefined && { 'location_sdk.environment': environment }), ...(outcome !== undefined && { 'location_sdk.outcome': outcome }) };
}
