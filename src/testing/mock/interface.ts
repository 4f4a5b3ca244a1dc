import type { Environment } from '../../core/errors/errors.js';
import type { WebRequest, WebResponse, WebUrl } from '../../core/platform/web-types.js';
import type { OperationName } from '../../core/protocol/operations.js';
import type { LocationInput } from '../../core/schema/location.js';
import type { ValidationMode } from '../../core/schema/model.js';
import type { Faults } from './faults.js';
import type { JournalEntry, JournalQuery, WaitOptions } from './journal.js';
import type { RecordedReport } from './ledger.js';
import type { MockState, SeedReport } from './state.js';
import type { WireAnswer } from './wire.js';

/** One environment of a mock gateway. */
export interface MockAddress {
  /** The address that a client uses. */
  baseUrl: string;
  /** A key that the mock accepts. It is not secret. */
  apiKey: string;
}

/** The options for a client that reports to a mock gateway. */
export interface MockClientOptions<Mode extends ValidationMode = ValidationMode> {
  /** This gateway's addresses and key. */
  gateways: {
    /** Its staging environment. */
    staging: MockAddress;
    /** Its production environment. */
    production: MockAddress;
  };
  /** The `validation` of the client. */
  validation: Mode;
  /** A fixed location, so that no browser or lookup service is asked. */
  location: {
    /** Same as the gateway's option. */
    required: boolean;
    /** An invented place in Nigeria. */
    fixed: LocationInput;
  };
  /** True: the mock's key is not secret. */
  allowApiKeyInBrowser: true;
}

/** Selects reports. Conditions that are left out match every report. */
interface ReportQuery {
  /** Only reports of this operation. */
  operation?: OperationName | undefined;
  /** Only reports of this reference. */
  reference?: string | undefined;
}

/** A mock of the gateway, in memory. It answers as `docs/background/assumptions.md` describes. */
export interface MockGateway<Mode extends ValidationMode = ValidationMode> {
  /** The gateway as a `fetch` function: give it to a client as its `fetch`. */
  fetch(input: WebRequest | WebUrl | string, init?: object): Promise<WebResponse>;
  /** Options for a client in the same process: `createClient(gateway.clientOptions())`. */
  clientOptions(): MockClientOptions<Mode> & {
    /** The gateway itself. */
    fetch: MockGateway['fetch'];
  };
  /** Options for a client that reaches the gateway at an address. */
  clientOptions(address: string): MockClientOptions<Mode>;
  /** The recorded reports, in the order of arrival. `environment` is `'staging'` by default. */
  reports(environment?: Environment, query?: ReportQuery): RecordedReport[];
  /** The latest requests, masked, with their answers; see `journalSize`. */
  requests(query?: JournalQuery): JournalEntry[];
  /** The faults to simulate. */
  readonly faults: Faults;
  /** The status of a repeated report, as in the options. */
  readonly duplicateStatus: number;
  /** Records reports without checking for earlier ones: the initial state of a test. */
  seed(reports: readonly SeedReport[]): void;
  /** All recorded reports, as plain JSON. */
  snapshot(): MockState;
  /** Replaces all recorded reports. Throws a `TypeError` that says what is wrong with a state. */
  restore(state: unknown): void;
  /** Ends all delays and pending requests at once. Recorded reports stay. */
  release(): void;
  /** Removes reports, requests and faults, restarts the random numbers from the seed, and ends pending requests. */
  reset(): void;
  /**
   * Resolves with the first request that matches, past or future. After `timeoutMs` (default: 5,000) it rejects with an
   * `Error` that lists the requests that came.
   *
   * @example
   * ```ts
   * await gateway.waitFor({ operation: 'reportSettledBet', reference: 'B-1', applied: true });
   * ```
   */
  waitFor(query: JournalQuery, options?: WaitOptions): Promise<JournalEntry>;
  /** Calls back with every answered request. Returns a function that removes the listener. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
  /**
   * Another text after each `reset`, `restore` and `seed`: a page that shows the reports then forgets what it has read.
   *
   * @internal
   */
  readonly era: string;
  /** For servers: the answer to a request, and how to send it. */
  handle(request: WebRequest): Promise<WireAnswer>;
}
