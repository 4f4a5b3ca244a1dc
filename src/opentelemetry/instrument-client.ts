import { type Attributes, SpanKind, type SpanOptions } from '@opentelemetry/api';
import type { Client } from '../core/client/client.js';
import { type ClientInternals, internalsOf, withInternals } from '../core/client/internals.js';
import type { ClientMode } from '../core/client/payloads.js';
import { ConfigurationError, ENVIRONMENTS, refuseOtherNames } from '../core/errors/errors.js';
import {
  callAttributes,
  failureAttributes,
  reportAttributes,
  requestAttributes,
  resultAttributes,
  serverAttributes,
} from './attributes.js';
import { type InstrumentationOptions, instrumentsOf, makeHistogram, quietly } from './instruments.js';
import { type Seen, spanned } from './spanned.js';

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
export function instrumentClient<Mode extends ClientMode = 'strict'>(
  client: Client<Mode>,
  options: InstrumentationOptions = {},
): Client<Mode> {
  const internals = internalsOf(client);
  if (!internals) throw new ConfigurationError('instrumentClient: expected the result of createClient.');
  refuseOtherNames('instrumentClient', ['meterProvider', 'tracerProvider'], options);
  const { meter, tracer } = instrumentsOf(options);
  const calls = makeHistogram(meter, 'callDuration');
  const attempts = makeHistogram(meter, 'attemptDuration');

  async function observed<T>(
    histogram: typeof calls,
    span: SpanOptions & { readonly name: string },
    which: Attributes,
    work: () => Promise<T>,
    seen: (value: T) => Seen,
  ): Promise<T> {
    const since = performance.now();
    const record = (attributes: () => Attributes) =>
      quietly(() => histogram.record((performance.now() - since) / 1_000, { ...which, ...attributes() }));
    try {
      const value = await spanned(tracer, span, work, seen);
      record(() => seen(value).attributes);
      return value;
    } catch (error) {
      record(() => failureAttributes(error));
      throw error;
    }
  }

  const call =
    <Given extends unknown[], T>(operation: string, method: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> => {
      const which = callAttributes(operation, quietly(() => environmentOf(operation, given)) ?? internals.environment);
      const span = { name: operation, kind: SpanKind.INTERNAL, attributes: which };
      // The results of the other methods contain personal data or a place.
      const isReceipt = operation !== 'verifyNin' && operation !== 'locate';
      return observed(calls, span, which, () => method(...given), isReceipt ? receipt : () => ({ attributes: {} }));
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
    const attributes = {
      ...metric,
      ...reportAttributes(report.reference),
      ...serverAttributes(address),
      'http.request.method': 'POST',
    };
    const span = { name: `send ${operation}`, kind: SpanKind.CLIENT, attributes };
    const work = () => internals.attempt(report, limit);
    return observed(attempts, span, metric, work, (result) => ({
      attributes: resultAttributes(result),
      onSpan: requestAttributes(result.requestId),
      failure: result.kind === 'recorded' ? undefined : result.message,
    }));
  };

  return withInternals(instrumented, { ...internals, attempt });
}

/** The environment of a call, if it names a valid one. The call refuses any other value, and no metric shows it. */
function environmentOf(operation: string, [first, options]: readonly unknown[]): string | undefined {
  const said = (operation === 'locate' ? undefined : text(options, 'environment')) ?? text(first, 'environment');
  return ENVIRONMENTS.find((one) => one === said);
}

function text(value: unknown, name: 'environment' | 'reference' | 'outcome' | 'requestId'): string | undefined {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

function receipt(value: unknown): Seen {
  const environment = text(value, 'environment');
  const outcome = text(value, 'outcome');
  return {
    attributes: {
      ...(environment !== undefined && { 'location_sdk.environment': environment }),
      ...(outcome !== undefined && { 'location_sdk.outcome': outcome }),
    },
    onSpan: { ...reportAttributes(text(value, 'reference')), ...requestAttributes(text(value, 'requestId')) },
  };
}
