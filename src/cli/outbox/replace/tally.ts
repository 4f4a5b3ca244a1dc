import { reportNames } from '../../../core/protocol/operations.js';
import { remark } from '../../output.js';
import { grouped } from '../text.js';

/** Counts of the reports of one operation. */
const newTally = () => ({
  differing: 0,
  same: 0,
  inDoubt: 0,
  recorded: 0,
  notReplaceable: 0,
  missing: 0,
  /** Those whose settlement's line is rejected. */
  unsettled: 0,
  notInFile: 0,
  replaced: 0,
  fields: new Map<string, number>(),
});
type Tally = ReturnType<typeof newTally>;

/** The counts of a file, by the operations that it names. */
export function createTallies() {
  const tallies = new Map<string, Tally>();
  return {
    of(operation: string): Tally {
      const tally = tallies.get(operation) ?? newTally();
      tallies.set(operation, tally);
      return tally;
    },
    has: (operation: string): boolean => tallies.has(operation),
    /** The operations of the file. */
    named: () => reportNames.filter((name) => tallies.has(name)),
    total: (...names: readonly Exclude<keyof Tally, 'fields'>[]): number =>
      [...tallies.values()].flatMap((tally) => names.map((name) => tally[name])).reduce((sum, one) => sum + one, 0),
    /** The same as plain data. */
    numbers: () => [...tallies].map(([operation, tally]) => ({ operation, ...tally, fields: differing(tally) })),
    /** `isChecked`: nothing was changed. */
    tell(isChecked: boolean): void {
      for (const [operation, tally] of tallies) {
        const rows: [number, string][] = [
          [isChecked ? tally.differing : 0, 'would be replaced'],
          [tally.same, 'have this data already'],
          [tally.notInFile, `reports of ${operation} were refused, and are not in the file`],
        ];
        if (tallies.size > 1) remark(`${operation}:`);
        for (const [count, words] of rows) if (count > 0) remark(`  ${grouped(count)} ${words}`);
        if (tally.fields.size > 0) remark('Fields that differ:');
        for (const { field, reports } of differing(tally)) remark(`  ${grouped(reports)} × ${field}`);
      }
    },
  };
}

export type Tallies = ReturnType<typeof createTallies>;

const differing = ({ fields }: Tally) =>
  [...fields].sort(([, a], [, b]) => b - a).map(([field, reports]) => ({ field, reports }));
