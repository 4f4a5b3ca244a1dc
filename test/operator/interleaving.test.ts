import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/outbox/rules/state-machine.js';
import { claim, QUARANTINED, write } from '../outbox/contract/harness.js';
import { enqueue, world } from './world.js';

const REFERENCES = ['B-1', 'B-2', 'B-3', 'B-4'];
const ids = REFERENCES.map((reference) => `default:staging:reportBetEvent:${reference}`);
const PROBLEM = { code: 'unprocessable', message: 'reportBetEvent B: the gateway refused it.' } as const;

const command = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('end' as const), recorded: fc.boolean() }),
  fc.record({ kind: fc.constant('retry' as const), decision: fc.integer({ min: 0, max: 3 }), whole: fc.boolean() }),
  fc.record({ kind: fc.constant('undo' as const), of: fc.integer({ min: 0, max: 3 }), twice: fc.boolean() }),
  fc.record({ kind: fc.constant('wait' as const) }),
);

describe('any order of retries, claims and undone retries', () => {
  it('keeps every report in one state, sends none without a retry, and changes it once for each decision', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
        const { store, data, clock } = await world();
        await enqueue(store, REFERENCES);
        const flying: Row[] = [];
        const claims = new Map<string, number>();
        let undoings = 0;
        const refused: unknown[] = [];
        const ignore = (error: { readonly code?: string }) => {
          if (error.code !== 'conflict' && error.code !== 'not-found') throw error;
          refused.push(error);
        };
        for (const one of commands) {
          if (one.kind === 'claim') {
            const rows = await claim(store, one.limit);
            flying.push(...rows);
            for (const { id } of rows) claims.set(id, (claims.get(id) ?? 0) + 1);
          }
          const row = one.kind === 'end' ? flying.shift() : undefined;
          if (row && one.kind === 'end') {
            const end = one.recorded ? { keepBody: true } : { ...QUARANTINED, problem: PROBLEM };
            expect((await write(store, row, { ...end, decisions: row.decisions })).written).toEqual([true]);
          }
          const who = { who: 'ada', reason: 'why' };
          const idOf = (number: number) => `decision-number-${number}`;
          if (one.kind === 'retry') {
            const group = {
              account: 'default',
              environment: 'staging',
              code: 'unprocessable',
              words: 'the gateway refused it.',
            } as const;
            const selection = one.whole ? { group } : { ids: ids.slice(0, 2) };
            const rows = await store.get(ids);
            // This test does not retry waiting reports.
            const isQuarantined = one.whole || rows.slice(0, 2).every((found) => found?.state === 'quarantined');
            if (isQuarantined)
              await data.decide({ decision: idOf(one.decision), action: 'retry', selection, ...who }).catch(ignore);
          }
          if (one.kind === 'undo') {
            undoings += 1;
            const request = { decision: `undoing-number-${undoings}`, of: idOf(one.of), ...who };
            await Promise.all(Array.from({ length: one.twice ? 2 : 1 }, () => data.undo(request).catch(ignore)));
          }
          if (one.kind === 'wait') clock.advance(1_000);

          const { states } = await store.counts();
          expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(REFERENCES.length);
          for (const found of await store.get(ids)) {
            const retries = found?.decisions.filter(({ undone }) => !undone).length ?? 0;
            expect(claims.get(found?.id ?? '') ?? 0).toBeLessThanOrEqual(1 + retries);
            const touched = found?.decisions.map(({ id }) => id) ?? [];
            expect(new Set(touched).size).toBe(touched.length);
            expect(found?.state === 'in-flight').toBe(flying.some(({ id }) => id === found?.id));
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});
