import type { IpProvider } from './provider.js';

/** What stands for a lookup service where none is ever asked. */
export const absentService = (name: string): IpProvider => ({ name, lookup: async () => undefined });
