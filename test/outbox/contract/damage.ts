import {
  ACCOUNT,
  CLAIMANT,
  type ContractCase,
  claim,
  claimOne,
  contractCase,
  DISMISSED,
  equal,
  idsOf,
  LEASE_MS,
  newRow,
  QUARANTINED,
  read,
  settledRow,
  WAITS,
  write,
} from './harness.js';

const SOUND = ['A-1', 'Z-1'];

/** Parts of a row's id, with other values for the row. Each value is valid by itself. */
const OTHERS = {
  environment: 'production',
  operation: 'reportWithdrawalEvent',
  account: 'brandB',
  reference: 'other',
} as const;
const BRAND_B = { ...CLAIMANT, account: OTHERS.account };

export const damageCases: readonly ContractCase[] = [
  contractCase('a row with a fraction of a millisecond in its delay is valid', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(store);
    await write(store, row, { ...WAITS, delayMs: 1_000.25 });
    const { damage, problem } = await read(store, row.id);
    equal([damage, problem], [undefined, undefined], 'its damage');
  }),
  contractCase(
    'a row with a damaged part is shown as damaged, is never claimed as valid, and delays only its own reference',
    async ({ store, damage, advance }) => {
      if (!damage) return;
      const { parts, spoil } = damage;
      const ids = parts.map((part) => newRow(`D-${part}`).id);
      await store.enqueue([
        newRow('A-1'),
        ...parts.flatMap((part) => [newRow(`D-${part}`), settledRow(`D-${part}`)]),
        newRow('Z-1'),
      ]);
      for (const [index, part] of parts.entries()) await spoil(ids[index] ?? '', part);

      for (const [index, part] of parts.entries()) {
        const row = await read(store, ids[index] ?? '');
        equal(
          [row.problem?.code, row.damage?.split(', ').includes(part)],
          ['damaged', true],
          `the row whose ${part} is unreadable`,
        );
      }
      equal(
        (await store.list({ limit: 1_000 })).filter((row) => row.damage !== undefined).length,
        parts.length,
        'damaged rows in a list',
      );
      await store.counts();

      const claimed = await claim(store, 1_000);
      const sound = claimed.filter((row) => row.damage === undefined).map(({ reference }) => reference);
      equal(sound.sort(), SOUND, 'the sound rows that may be claimed');
      await advance(LEASE_MS + 1);
      const again = await claim(store, 1_000);
      equal(idsOf(again).sort(), idsOf(claimed).sort(), 'the rows that are claimed again after a lease');
      const damaged = again.filter(({ reference }) => !SOUND.includes(reference));
      for (const row of damaged) {
        const problem = { code: 'damaged', message: 'damaged' } as const;
        equal((await write(store, row, { ...QUARANTINED, problem })).written, [true], `the quarantine of ${row.id}`);
        const { state, problem: told } = await read(store, row.id);
        equal([state, told?.code], ['quarantined', 'damaged'], `${row.id}, quarantined`);
      }
      equal(await claim(store, 1_000), [], 'the claimable rows after that');

      for (const { id } of damaged) await write(store, await read(store, id), DISMISSED);
      equal(
        (await store.counts([ACCOUNT])).states.dismissed,
        damaged.length,
        'the number of dismissed rows of the account',
      );
    },
  ),
  contractCase(
    'a row whose parts differ from its id is shown as damaged, and is never claimed as valid',
    async ({ store, damage }) => {
      if (!damage?.replace) return;
      const parts = damage.replaced ?? Object.keys(OTHERS);
      const replaced = (Object.entries(OTHERS) as [keyof typeof OTHERS, string][]).filter(([part]) =>
        parts.includes(part),
      );
      await store.enqueue([...replaced.map(([part]) => newRow(`D-${part}`)), newRow('Z-1')]);
      await store.bind([{ account: OTHERS.account, environment: 'staging', gateway: CLAIMANT.gateways.staging ?? '' }]);
      for (const [part, text] of replaced) await damage.replace(newRow(`D-${part}`).id, part, text);

      for (const [part] of replaced) {
        const { damage: found, problem, account, environment } = await read(store, newRow(`D-${part}`).id);
        equal([found, problem?.code], [part, 'damaged'], `the row whose ${part} is another`);
        equal(
          [account, environment],
          [ACCOUNT, 'staging'],
          `the account and environment of the row whose ${part} is another`,
        );
      }
      const claimed = [...(await claim(store, 1_000)), ...(await claim(store, 1_000, [BRAND_B]))];
      equal(
        idsOf(claimed.filter((row) => row.damage === undefined)),
        [newRow('Z-1').id],
        'the sound rows that may be claimed',
      );
      for (const row of claimed.filter(({ damage: found }) => found !== undefined)) {
        equal((await write(store, row, QUARANTINED)).written, [true], `the quarantine of ${row.id}`);
        equal((await read(store, row.id)).state, 'quarantined', `the state of ${row.id}`);
      }
    },
  ),
];
