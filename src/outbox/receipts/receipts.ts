import type { Events } from '../events.js';
import type { Outbox } from '../interface.js';
import type { OutboxSettings } from '../settings-shape.js';
import { createReceiptLog, readHead, readReceipts } from './log.js';
import { pruneReports, readPruneOptions } from './prune.js';
import { reconcile } from './reconcile.js';

/** How an outbox shows what became of its reports. */
export interface Proof {
  /** Those of an account. */
  methods(account: string): Pick<Outbox, 'exportReceipts' | 'receiptHead' | 'reconcile' | 'prune'>;
  /** When the worker starts: takes up what the last process could not log. */
  started(): void;
  /** When it has stopped: adds what is missing, within the time. */
  stopped(timeoutMs: number): Promise<void>;
}

export function createProof({ store, clock }: OutboxSettings, events: Events): Proof {
  const log = createReceiptLog(store, events, clock);
  events.on('recorded', log.soon);
  events.on('decided', log.soon);
  return {
    started: log.soon,
    stopped: log.stop,
    methods: (account) => ({
      async *exportReceipts({ from = 0 } = {}) {
        await log.catchUp();
        yield* readReceipts(store, from);
      },
      receiptHead: () => readHead(store),
      reconcile: (references, defaults) => reconcile(store, account, references, defaults),
      prune: async (options) => {
        const { onProgress, signal } = options ?? {};
        return { pruned: await pruneReports(store, { account, olderThanDays: readPruneOptions(options), clock, onProgress, signal }) };
      },
    }),
  };
}
