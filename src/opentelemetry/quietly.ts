/** Telemetry must not disturb a report: whatever it throws ends here. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
