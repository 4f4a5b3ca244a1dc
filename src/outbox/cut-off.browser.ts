/** Browsers warn of no number of listeners. */
export const createCutOff = () => new AbortController();
