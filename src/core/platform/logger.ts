/** Receives the SDK's log lines; `console` fits. No line contains a secret or personal data. */
export interface Logger {
  /** Every attempt and every wait. */
  debug?(message: string): void;
  /** Information that is logged once. */
  info?(message: string): void;
  /** A problem that needs attention soon. */
  warn?(message: string): void;
  /** A problem that needs attention now. */
  error?(message: string): void;
}

/** A listener that throws must not lose a report. */
export const safeCallback =
  <T>(listen: ((told: T) => unknown) | undefined) =>
  (told: T): void => {
    try {
      const listened = listen?.(told);
      // Also a promise of another realm.
      Promise.resolve(listened).catch(() => {});
    } catch {
      // This error cannot be reported: the failed function would be its receiver.
    }
  };

/** A logger that throws must not lose a report, or an answer. */
export function safeLogger(logger: Logger): Required<Logger> {
  const line = (level: keyof Logger) => safeCallback((message: string) => logger[level]?.(message));
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** Writes warnings and errors to the console, with a name before each. */
export const consoleLogger = (name: string): Logger => ({
  warn: (message) => console.warn(`${name}: ${message}`),
  error: (message) => console.error(`${name}: ${message}`),
});
