const LONGEST_NAME = 100;

/** A cache by zone, since making a formatter costs far more than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();
/** A limit: the names come from visitors, so there may be many. */
const MOST_KEPT = 100;

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (timeZone.length > LONGEST_NAME) return undefined;
  const name = timeZone.toLowerCase();
  const kept = formats.get(name);
  if (kept) return kept;
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
    const format = new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23', ...parts });
    if (formats.size >= MOST_KEPT) formats.clear();
    formats.set(name, format);
    return format;
  } catch {
    return undefined;
  }
}

/** How far a time zone was ahead of UTC at a moment, in minutes. Undefined if the platform does not have the zone. */
export function utcOffset(timeZone: string, moment: number): number | undefined {
  const parts = formatOf(timeZone)?.formatToParts(moment);
  if (!parts) return undefined;
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  const minutes = Math.round((local - moment) / 60_000);
  return Number.isFinite(minutes) ? minutes : undefined;
}
