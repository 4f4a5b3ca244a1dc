/** The relay looks up the address that it sees; a page with a relay asks no service. */
export const createIpLookup = () => ({ find: async () => ({ found: undefined, steps: [] }) });
