/**
 * The lowest level that is logged: `'debug'`, every attempt, its end and each wait; `'info'`; `'warn'`; `'error'`;
 * `'silent'`, nothing.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The levels, the lowest first. */
export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

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
export function safeLogger(logger: Logger, least: LogLevel = 'debug'): Required<Logger> {
  const line = (level: keyof Logger) =>
    LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)
      ? () => {}
      : safeCallback((message: string) => logger[level]?.(message));
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** Writes warnings and errors to the console, with a name before each. */
export function consoleLogger(name: string): Logger {
  const line = (message: string) => console.warn(`${name}: ${message}`);
  return { warn: line, error: line };
}
