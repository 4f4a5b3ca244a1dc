import { type ContractCase, claim, claimOne, contractCase, equal, newRow, QUARANTINED, read, settledRow, WAITS, write } from './harness.js';

const SOUND = ['A-1', 'Z-1'];

export const damageCases: readonly ContractCase[] = [
  contractCase('a row that waits for a part of a millisecond is sound', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(store);
    await write(store, row, { ...WAITS, delayMs: 1_000.25 });
    const { damage, problem } = await read(store, row.id);
    equal([damage, problem], [undefined, undefined], 'its damage');
  }),
  contractCase(
    'a row with an unreadable part is shown as damaged, never handed out as sound, and holds up its own reference only',
    async ({ store, damage }) => {
      if (!damage) return;
      const { parts, spoil } = damage;
      const ids = parts.map((part) => newRow(`D-${part}`).id);
      await store.enqueue([newRow('A-1'), ...parts.flatMap((part) => [newRow(`D-${part}`), settledRow(`D-${part}`)]), newRow('Z-1')]);
      for (const [index, part] of parts.entries()) await spoil(ids[index] ?? '', part);

      for (const [index, part] of parts.entries()) {
        const row = await read(store, ids[index] ?? '');
        equal([row.problem?.code, row.damage?.split(', ').includes(part)], ['damaged', true], `the row whose ${part} is unreadable`);
      }
      equal((await store.list({ limit: 1_000 })).filter((row) => row.damage !== undefined).length, parts.length, 'damaged rows in a list');
      await store.counts();

      const claimed = await claim(store, 1_000);
      const sound = claimed.filter((row) => row.damage === undefined).map(({ reference }) => reference);
      equal(sound.sort(), SOUND, 'the sound rows that may be claimed');
      for (const row of claimed) {
        if (row.damage === undefined) continue;
        const problem = { code: 'damaged', message: 'damaged' } as const;
        equal((await write(store, row, { ...QUARANTINED, problem })).written, [true], `the quarantine of ${row.damage}`);
        const { state, problem: told } = await read(store, row.id);
        equal([state, told?.code], ['quarantined', 'damaged'], `the row whose ${row.damage} is unreadable, quarantined`);
      }
      equal(await claim(store, 1_000), [], 'what may be claimed after that');
    },
  ),
];
