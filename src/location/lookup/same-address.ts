import { parseAddress } from '../server/address.js';

/** Whether a service answered for the requested address. An answer that names no address is accepted. */
export function isSameAddress(asked: string | undefined, told: unknown): boolean {
  if (asked === undefined || typeof told !== 'string') return true;
  return parseAddress(told)?.text === parseAddress(asked)?.text;
}
