/** The least that is logged: `'debug'`, every attempt, its end and each wait; `'info'`; `'warn'`; `'error'`; `'silent'`, nothing. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The levels, the lowest first. */
export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** Who hears what the SDK has to say; `console` fits. No line holds a secret or personal data. */
export interface Logger {
  /** Every attempt and every wait. */
  debug?(message: string): void;
  /** What is worth knowing once. */
  info?(message: string): void;
  /** What somebody should look at. */
  warn?(message: string): void;
  /** What somebody must look at. */
  error?(message: string): void;
}
