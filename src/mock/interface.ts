import type { Environment } from '../errors/errors.js';
import type { AbortSignalLike, WebRequest, WebResponse, WebUrl } from '../platform/web-types.js';
import type { OperationName } from '../protocol/operations.js';
import type { LocationInput } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';
import type { Faults } from './faults.js';
import type { JournalEntry, JournalQuery } from './journal.js';
import type { RecordedReport } from './ledger.js';
import type { MockState } from './state.js';
import type { WireAnswer } from './wire.js';

/** One environment of a mock gateway. */
export interface MockAddress {
  /** The address that a client is given. */
  baseUrl: string;
  /** A key that the mock takes; it is no secret. */
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
  /** A fixed location, so that nobody is asked. */
  location: {
    /** As the gateway's own option. */
    required: boolean;
    /** A place in Nigeria that was made up. */
    fixed: LocationInput;
  };
  /** True: the mock's key is no secret. */
  allowApiKeyInBrowser: true;
}

/** A report for `seed`. */
export interface SeedReport {
  /** The call that reported it. */
  operation: OperationName;
  /** What was reported. */
  body: Readonly<Record<string, unknown>>;
  /** Default: `'staging'`. */
  environment?: Environment | undefined;
}

/** How long `waitFor` waits. */
export interface WaitOptions {
  /** Default: 5,000. */
  timeoutMs?: number | undefined;
  /** Ends the waiting. */
  signal?: AbortSignalLike | undefined;
}

/** Which reports are meant; what is left out matches everything. */
export interface ReportQuery {
  /** Only reports of this call. */
  operation?: OperationName | undefined;
  /** Only reports of this reference. */
  reference?: string | undefined;
}

/** A stand-in for the gateway, in memory; it answers as `docs/background/assumptions.md` says. */
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
  /** What is recorded, in the order of arrival; `environment` is `'staging'` by default. */
  reports(environment?: Environment, query?: ReportQuery): RecordedReport[];
  /** The latest requests, masked, with what was answered; see `journalSize`. */
  requests(query?: JournalQuery): JournalEntry[];
  /** How it is to misbehave. */
  readonly faults: Faults;
  /** Records reports as they are, whatever should have come before them: the state that a test begins with. */
  seed(reports: readonly SeedReport[]): void;
  /** All that is recorded, as plain JSON. */
  snapshot(): MockState;
  /** Replaces all that is recorded. Throws a `TypeError` that says what is wrong with a state. */
  restore(state: unknown): void;
  /** Lets everything that hangs or is held back go on at once; what is held stays. */
  release(): void;
  /** Forgets reports, requests and faults, starts chance anew, and frees what hangs. */
  reset(): void;
  /**
   * Resolves with the first request that matches, past or to come; rejects with an `Error` that says what came
   * instead, after `timeoutMs` (default: 5,000).
   *
   * @example
   * ```ts
   * await gateway.waitFor({ operation: 'reportSettledBet', reference: 'B-1', applied: true });
   * ```
   */
  waitFor(query: JournalQuery, options?: WaitOptions): Promise<JournalEntry>;
  /**
   * Calls back with every request that is answered, and `replaced` when what is held changed otherwise: by
   * `reset`, `restore` or `seed`. Gives a function that ends it.
   */
  subscribe(listener: (entry: JournalEntry) => void, replaced?: () => void): () => void;
  /** For servers: the answer to a request, and how it is to leave. */
  handle(request: WebRequest): Promise<WireAnswer>;
}
