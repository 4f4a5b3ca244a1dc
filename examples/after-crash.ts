// After a crash without an outbox: reports what is stored again, once. docs/how-to/never-lose-or-double.md explains it.
import { isReportingError, type Receipt } from 'location-sdk';

/** The receipt. Undefined: the gateway held the report before. */
export async function reportStored(report: () => Promise<Receipt>): Promise<Receipt | undefined> {
  try {
    return await report();
  } catch (error) {
    const isHeld = isReportingError(error) && error.code === 'duplicate' && error.conflict === false;
    if (!isHeld) throw error;
  }
}

interface Stored {
  reference: string;
  report(): Promise<Receipt>;
}

/** Saves what is recorded. Returns the rest, each with its error. */
export async function afterCrash(
  stored: Stored[],
  save: (reference: string, receipt?: Receipt) => Promise<void>,
): Promise<{ reference: string; error: unknown }[]> {
  const open: { reference: string; error: unknown }[] = [];
  for (const { reference, report } of stored)
    await reportStored(report)
      .then((receipt) => save(reference, receipt))
      .catch((error) => open.push({ reference, error }));
  return open;
}
