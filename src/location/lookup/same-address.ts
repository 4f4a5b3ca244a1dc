import { parseAddress } from '../server/address.js';

/** Whether a service told of the address that it was asked for; one that names none is believed. */
export function isSameAddress(asked: string | undefined, told: unknown): boolean {
  if (asked === undefined || typeof told !== 'string') return true;
  return parseAddress(told)?.text === parseAddress(asked)?.text;
}
