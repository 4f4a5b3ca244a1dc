import { asOwnRecord } from '../../core/platform/as-record.js';
import { printable } from '../../core/platform/messages.js';
import { contextOf } from '../../operator/context.js';
import { type PlayerData, readPlayer } from '../../operator/player.js';
import type { Seal } from '../../outbox/seal/seal.js';
import { makeStandardSeal } from '../../outbox/seal/standard-seal.js';
import type { OutboxStore } from '../../outbox/store/store.js';
import { readOptionsModule } from '../check/options-file.js';
import { EXIT, Failure, remark, say, table } from '../output.js';
import type { OpenedOutbox, RunCommand } from './options.js';
import { newDecision } from './person.js';
import { duration, grouped, reports, wrapped } from './text.js';

/** The player's id is not printed. */
export const player: RunCommand = async (
  { store, command, now },
  { account, environment, erase, reason, options, json },
  [given = ''],
) => {
  const id = given.trim();
  if (id === '') throw new Failure('player needs the id of one player, as user_id of the reports');
  if (erase && !reason?.trim())
    throw new Failure('--erase needs --reason "…": it is kept in the log of decisions, so name no player');
  if (reason !== undefined && !erase) throw new Failure('--reason goes with --erase');
  if (reason?.includes(id))
    throw new Failure('--reason contains the id of the player, and would be kept. Nothing was erased');
  const context = { ...contextOf(store, command, undefined), seal: await sealOf(options, store) };
  const found = await readPlayer(context, {
    player: id,
    account,
    environment,
    ...(erase && { erase: newDecision(reason ?? '') }),
  });
  if (json) say(JSON.stringify(found));
  else describe(found, { command, now, isErased: erase === true });
  const isWhole = Object.keys(found.locked).length + found.unreadable === 0 && found.logEmptied !== false;
  return isWhole ? EXIT.done : EXIT.failed;
};

/** Without a file it opens bodies that are not encrypted. */
async function sealOf(file: string | undefined, store: OutboxStore): Promise<Seal> {
  const { outbox } = await readOptionsModule(file);
  const { encryption } = asOwnRecord(outbox);
  const { issues, over } = makeStandardSeal(encryption);
  if (issues.length > 0)
    throw new Failure(
      `--options ${file}: ${issues.map(({ path, message }) => `outbox.${path}: ${message}`).join('; ')}. Nothing was read`,
    );
  return over(store);
}

function describe(
  { places, erasable, erased, logEmptied, open, looked, empty, locked, unreadable }: PlayerData,
  { command, now, isErased }: Pick<OpenedOutbox, 'command' | 'now'> & { readonly isErased: boolean },
): void {
  const line = (text: string) => remark(wrapped(text, '  '));
  const unread = Object.values(locked).reduce((sum, count) => sum + count, unreadable);
  if (places.length === 0)
    say(
      unread === 0
        ? 'No stored body names this player.'
        : `Not known: ${reports(unread)} could not be read. No other stored body names this player.`,
    );
  else
    say(
      table([
        ['ACCOUNT', 'ENVIRONMENT', 'OPERATION', 'STATE', 'REPORTS', 'BODIES', 'LOCATIONS', 'OLDEST', 'NEWEST'],
        ...places.map(({ account, environment, operation, state, reports, bodies, locations, firstAt, lastAt }) => [
          ...[printable(account), environment, operation, state, grouped(reports), grouped(bodies), grouped(locations)],
          ...[duration(now - firstAt), duration(now - lastAt)],
        ]),
      ]),
    );
  remark('');
  if (isErased) line(`Erased: ${reports(erased)}. Their receipts and hashes are kept.`);
  else if (erasable > 0)
    line(`To erase what is kept of ${reports(erasable)}: ${command} player <player> --erase --reason "…"`);
  if (open > 0) line(`${reports(open)} must still be sent, or need a person: their bodies stay until then.`);
  line(
    `${grouped(looked)} reports were looked at; ${grouped(empty)} of them keep neither a body nor a location, and name no player.`,
  );
  for (const [keyId, count] of Object.entries(locked))
    line(
      `NOT READ: ${reports(count)} sealed with the key ${printable(keyId)}. Give --options a file that exports the options of this outbox as outbox, such as { encryption }, and run the command again.`,
    );
  if (unreadable > 0) line(`NOT READ: ${reports(unreadable)}, damaged, or sealed by the outbox of another store.`);
  line(
    'Not in this outbox: what the gateway has recorded, your own tables and logs, and copies of this database (backups, standbys, archived logs, the file before a move). Receipts and decisions name no player, unless a person wrote one into a reason: search the output of export for the player.',
  );
  if (logEmptied === false)
    line(
      'NOT EMPTIED: the -wal file of the database still has the erased bytes, since another process was reading it, or the disk failed. Run the command again.',
    );
  if (erased > 0)
    line(
      'Erased bytes may stay in unused parts of the database. A SQLite file loses them by VACUUM, and PostgreSQL by a VACUUM FULL without an older open transaction; its write-ahead log keeps them for longer.',
    );
}
