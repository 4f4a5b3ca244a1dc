import { LOG_LEVELS, type Logger, type LogLevel } from './logger.js';

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
    LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least) ? () => {} : safeCallback((message: string) => logger[level]?.(message));
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
