import {
  createNoopMeter,
  type Meter,
  type MeterProvider,
  type MetricOptions,
  metrics,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

/** The providers for telemetry. */
export interface InstrumentationOptions {
  /**
   * Makes the meter. Default: the global one. Start the SDK of OpenTelemetry first: a meter, unlike a tracer, does not
   * switch to a provider that is set later.
   */
  meterProvider?: MeterProvider | undefined;
  /** Makes the tracer. Default: the global one. */
  tracerProvider?: TracerProvider | undefined;
}

/**
 * The options of `instrumentOutbox`: the providers for metrics and traces, and whether this process reports the store's
 * gauges.
 */
export interface OutboxInstrumentationOptions extends InstrumentationOptions {
  /**
   * Whether this process queries the store for the gauges (reports by state, age of the oldest, pauses) at each
   * collection. They are the store's, so all processes report the same. Default: true.
   */
  observeStats?: boolean | undefined;
}

const SCOPE = 'location-sdk';

/** Telemetry must not affect a report: all its errors end here. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** One instrument: its name and what it measures. */
export interface InstrumentRow {
  /** The kind of instrument in OpenTelemetry. */
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** The name in dashboards. It contains the unit, since the Prometheus exporter of Node.js adds none. */
  readonly name: string;
  /** A UCUM unit: `s`, or the counted things in braces. */
  readonly unit: string;
  /** The meaning, in a sentence. */
  readonly description: string;
  /** The attributes that its values may have. Each has few values, and none identifies a report or a person. */
  readonly attributes: readonly string[];
}

/** The buckets that the HTTP conventions advise for requests. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** From immediate to days: an outage is a long wait. */
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];

const WHICH = ['location_sdk.operation', 'location_sdk.environment'];
const HOW = ['location_sdk.outcome', 'error.type', 'http.response.status_code'];

/**
 * All instruments. The gauges show the store's counts: all processes on one store report the same values, so take the
 * maximum over them, not the sum.
 *
 * @example
 * ```ts
 * const names = Object.values(INSTRUMENTS).map(({ name }) => name);
 * ```
 */
export const INSTRUMENTS = {
  callDuration: {
    kind: 'histogram',
    name: 'location_sdk.client.call.duration_seconds',
    unit: 's',
    description: 'Calls of the client: validation, location and all attempts.',
    attributes: [...WHICH, ...HOW],
  },
  attemptDuration: {
    kind: 'histogram',
    name: 'location_sdk.outbox.attempt.duration_seconds',
    unit: 's',
    description: 'Attempts of the outbox.',
    attributes: [...WHICH, ...HOW],
  },
  waitDuration: {
    kind: 'histogram',
    name: 'location_sdk.outbox.wait.duration_seconds',
    unit: 's',
    description: 'From enqueueing a report to the attempt that recorded it.',
    attributes: WHICH,
  },
  reports: {
    kind: 'gauge',
    name: 'location_sdk.outbox.report.count',
    unit: '{report}',
    description: 'Reports in the store by state; waiting does not include blocked ones.',
    attributes: ['location_sdk.report.state'],
  },
  pending: {
    kind: 'gauge',
    name: 'location_sdk.outbox.pending',
    unit: '{destination}',
    description: '1 while a report waits to be sent or is in flight, else 0; blocked ones do not count.',
    attributes: ['location_sdk.environment'],
  },
  refused: {
    kind: 'gauge',
    name: 'location_sdk.outbox.refused_waiting.count',
    unit: '{report}',
    description: 'Waiting reports whose last attempt was refused.',
    attributes: [],
  },
  oldest: {
    kind: 'gauge',
    name: 'location_sdk.outbox.oldest_open.age_seconds',
    unit: 's',
    description: 'Age of the oldest report that is neither final nor quarantined; 0 for none.',
    attributes: [],
  },
  paused: {
    kind: 'gauge',
    name: 'location_sdk.outbox.paused',
    unit: '{pause}',
    description: '1 while an environment is paused for this reason, else 0.',
    attributes: ['location_sdk.environment', 'location_sdk.pause.reason'],
  },
  enqueued: {
    kind: 'counter',
    name: 'location_sdk.outbox.enqueued.reports',
    unit: '{report}',
    description: 'Reports that were enqueued; in your own transaction, whether or not it then commits.',
    attributes: WHICH,
  },
  recorded: {
    kind: 'counter',
    name: 'location_sdk.outbox.recorded.reports',
    unit: '{report}',
    description: 'Reports that the gateway has recorded.',
    attributes: [...WHICH, 'location_sdk.outcome'],
  },
  quarantined: {
    kind: 'counter',
    name: 'location_sdk.outbox.quarantined.reports',
    unit: '{report}',
    description: 'Reports that were quarantined.',
    attributes: [...WHICH, 'error.type'],
  },
  conflicts: {
    kind: 'counter',
    name: 'location_sdk.outbox.conflicts',
    unit: '{report}',
    description: 'Reports that were quarantined as conflict.',
    attributes: WHICH,
  },
  decided: {
    kind: 'counter',
    name: 'location_sdk.outbox.decided.reports',
    unit: '{report}',
    description: 'Decisions made by people.',
    attributes: [...WHICH, 'location_sdk.decision'],
  },
  locked: {
    kind: 'counter',
    name: 'location_sdk.outbox.locked.attempts',
    unit: '{attempt}',
    description: 'Attempts that were not started, since a key for encryption is missing.',
    attributes: WHICH,
  },
  late: {
    kind: 'counter',
    name: 'location_sdk.outbox.late.attempts',
    unit: '{attempt}',
    description: 'Attempts that ended after another worker had taken the report.',
    attributes: WHICH,
  },
  pauses: {
    kind: 'counter',
    name: 'location_sdk.outbox.pauses',
    unit: '{pause}',
    description: 'How often this process paused an environment, or one of its probes failed.',
    attributes: ['location_sdk.environment', 'location_sdk.pause.reason'],
  },
  wentBack: {
    kind: 'counter',
    name: 'location_sdk.outbox.store.went_back',
    unit: '{event}',
    description: 'How often a worker found that the database had lost commits.',
    attributes: [],
  },
  storeErrors: {
    kind: 'counter',
    name: 'location_sdk.outbox.store.errors',
    unit: '{error}',
    description: 'How often the store failed in the background; a method that rejects is not counted.',
    attributes: [],
  },
} as const satisfies Record<string, InstrumentRow>;

type InstrumentName = keyof typeof INSTRUMENTS;

type NamesOf<Kind extends InstrumentRow['kind']> = {
  [Name in InstrumentName]: (typeof INSTRUMENTS)[Name]['kind'] extends Kind ? Name : never;
}[InstrumentName];

const optionsOf = ({ unit, description }: InstrumentRow): MetricOptions => ({ unit, description });

const NOTHING = createNoopMeter();

/** A meter that throws is replaced by one that measures nothing. */
const made = <Instrument>(meter: Meter, make: (meter: Meter) => Instrument): Instrument =>
  quietly(() => make(meter)) ?? make(NOTHING);

export const makeCounter = (meter: Meter, name: NamesOf<'counter'>) =>
  made(meter, (one) => one.createCounter(INSTRUMENTS[name].name, optionsOf(INSTRUMENTS[name])));

export const makeGauge = (meter: Meter, name: NamesOf<'gauge'>) =>
  made(meter, (one) => one.createObservableGauge(INSTRUMENTS[name].name, optionsOf(INSTRUMENTS[name])));

export const makeHistogram = (meter: Meter, name: NamesOf<'histogram'>) =>
  made(meter, (one) =>
    one.createHistogram(INSTRUMENTS[name].name, {
      ...optionsOf(INSTRUMENTS[name]),
      advice: { explicitBucketBoundaries: name === 'waitDuration' ? WAIT_SECONDS : REQUEST_SECONDS },
    }),
  );

/**
 * The meter and the tracer of this package. If a provider throws, there is no tracer, and the meter measures nothing.
 */
export const instrumentsOf = ({ meterProvider = metrics, tracerProvider = trace }: InstrumentationOptions) => ({
  meter: quietly(() => meterProvider.getMeter(SCOPE)) ?? NOTHING,
  tracer: quietly(() => tracerProvider.getTracer(SCOPE)),
});
