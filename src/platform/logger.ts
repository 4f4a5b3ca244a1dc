/** The lowest level that is logged: `'debug'`, every attempt, its end and each wait; `'info'`; `'warn'`; `'error'`; `'silent'`, nothing. */
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
