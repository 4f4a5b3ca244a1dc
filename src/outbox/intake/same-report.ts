import type { AnyReport } from '../../core/delivery/frozen-report.js';
import { asRecord, canonical } from '../../core/platform/as-record.js';
import { jsonOf } from '../../core/platform/portable.js';
import type { Location } from '../../core/schema/location.js';
import type { Row } from '../rules/state-machine.js';
import { hasBytes, type Seal } from '../seal/seal.js';

type Body = Readonly<Record<string, unknown>>;

const parse = (body: string): Body => asRecord(JSON.parse(body));

/** How long before its commit, and after it by the store's clock, the client may have added a report's time. */
const BEFORE_S = 90;
const AFTER_S = 10;

/**
 * The bytes that a stored report may have, if this call is the same one. Its body is deleted when it is final. Then the
 * fingerprint decides: over the same data, with each time near the commit.
 */
async function* candidates(seal: Seal, row: Row, report: AnyReport, kept: Location | undefined) {
  const given = parse(report.body);
  const added = { ...(report.addsTime && { timestamp: undefined }), ...(report.addsPlace && { location: undefined }) };
  const withoutAdded = (one: Body) => canonical({ ...one, ...added });
  if (row.body !== undefined) {
    const stored = await seal.open(row.body, row).catch(() => '{}');
    if (withoutAdded(parse(stored)) === withoutAdded(given)) yield stored;
    return;
  }
  const place = kept && report.addsPlace ? { location: kept } : {};
  const at = Math.floor(row.enqueuedAt / 1_000);
  const times = report.addsTime ? BEFORE_S + AFTER_S : 0;
  for (let past = 0; past <= times; past += 1)
    yield jsonOf({ ...given, ...place, ...(times > 0 && { timestamp: String(at + AFTER_S - past) }) });
}

/**
 * The location of a stored report, if a call is the same one: all that the caller gave is equal. The time and the
 * location that the client adds differ at each call, and the first ones count. `keptLocation`: that of a report whose
 * body is gone. Rejects if the key of the fingerprint is missing.
 */
export async function sameReport(
  seal: Seal,
  row: Row,
  report: AnyReport,
  keptLocation: () => Promise<Location | undefined> = async () => undefined,
): Promise<{ readonly location: Location | undefined } | undefined> {
  if (await hasBytes(seal, row, report.body)) return { location: report.location };
  if (!report.addsTime && !report.addsPlace) return undefined;
  for await (const body of candidates(seal, row, report, await keptLocation()))
    if (await hasBytes(seal, row, body)) return { location: parse(body).location as Location | undefined };
  return undefined;
}
