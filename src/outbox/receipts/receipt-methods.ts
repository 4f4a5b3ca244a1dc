import { checkOptions } from '../backend-options.js';
import type { Events, StoreFailed } from '../events.js';
import type { Outbox } from '../interface.js';
import type { OutboxSettings } from '../settings.js';
import { createReceiptLog, readHead, readReceipts } from './log.js';
import { pruneReports, readPruneOptions } from './prune.js';
import { reconcile } from './reconcile.js';

export interface ReceiptMethods {
  methods(account: string): Pick<Outbox, 'exportReceipts' | 'receiptHead' | 'reconcile' | 'prune'>;
  /** Called when the worker starts. Adds the lines that the last process could not add. */
  started(): void;
  /** Called when the worker has stopped. Adds the missing lines. */
  stopped(timeoutMs: number): Promise<void>;
}

export function createReceiptMethods(
  { store, clock, onReceipt }: OutboxSettings,
  events: Events,
  storeFailed: StoreFailed,
): ReceiptMethods {
  const log = createReceiptLog({ store, clock, events, storeFailed });
  events.on('recorded', log.soon);
  events.on('decided', log.soon);
  // The database may have lost that it was recorded. Then the log has lost its receipt.
  events.on('quarantined', ({ code }) => code === 'duplicate' && log.soon());
  if (onReceipt) {
    let isFailing = false;
    const writeLine = async (facts: object) => {
      try {
        await onReceipt(JSON.stringify({ at: new Date(clock.now()), ...facts }));
        isFailing = false;
      } catch (cause) {
        const message =
          'onReceipt failed. Its lines are lost until it works again; after a failover reconcile cannot find their reports.';
        if (!isFailing) events.emit('error', { message, cause });
        isFailing = true;
      }
    };
    events.on('recorded', ({ account, environment, operation, reference, outcome, attempts }) =>
      writeLine({ account, environment, operation, reference, outcome, attempts }),
    );
    events.on('logged', writeLine);
  }
  return {
    started: log.soon,
    stopped: log.stop,
    methods: (account) => ({
      async *exportReceipts(options = {}) {
        checkOptions('exportReceipts', options);
        await log.catchUp();
        yield* readReceipts(store, options.from ?? 0);
      },
      receiptHead: () => readHead(store),
      reconcile: (references, defaults) => reconcile(store, account, references, defaults),
      prune: async (options) => {
        checkOptions('prune', options);
        const olderThanDays = readPruneOptions(options);
        return { pruned: await pruneReports(store, { ...options, account, olderThanDays, clock }) };
      },
    }),
  };
}
