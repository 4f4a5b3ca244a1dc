// Reports without an outbox: resends while in doubt, and calls a person. docs/how-to/never-lose-or-double.md explains it.
import { type Client, isReportingError, type Receipt } from 'location-sdk';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resends while in doubt: 20 times, an hour or more. Then rejects. */
export async function untilCertain(
  client: Client<'strict'>,
  reporting: Promise<Receipt>,
  waitMs = 1_000,
  tries = 20,
): Promise<Receipt> {
  try {
    return await reporting;
  } catch (error) {
    const isInDoubt = isReportingError(error) && error.outcome === 'unknown' && error.code !== 'duplicate'; // resend proves nothing then
    if (!isInDoubt || tries === 0) throw error;
    await pause(waitMs);
    const longer = Math.min(waitMs * 2, 300_000);
    const again = client.resend(error);
    return untilCertain(client, again, longer, tries - 1);
  }
}

const HOUR_MS = 3_600_000;
const wokenAt = new Map<string, number>();

/** Calls a person at most once an hour for each code, and each report that is a duplicate. */
export async function report(
  client: Client<'strict'>,
  reference: string,
  begin: () => Promise<Receipt>,
  wake: (text: string) => void,
): Promise<Receipt> {
  console.info('reporting', reference); // after a crash: it may be sent
  try {
    return await untilCertain(client, begin());
  } catch (error) {
    if (!isReportingError(error)) throw error;
    const { code, outcome, status, message } = error;
    console.error(code, outcome, message); // all of it is safe to log
    const isUrgent = status === 401 || status === 403 || code === 'duplicate' || outcome === 'unknown';
    const cause = code === 'duplicate' ? `${code} ${reference}` : code; // each needs its own decision
    if (isUrgent && Date.now() - (wokenAt.get(cause) ?? 0) > HOUR_MS) {
      wokenAt.set(cause, Date.now());
      wake(message);
    }
    throw error; // you still owe the report: keep its data and this error
  }
}
