import type { FromVariables } from './environment-variables.js';

/** A page has no environment variables. */
export const readVariables = ({ gateways }: Pick<FromVariables, 'gateways'>): FromVariables => ({ gateways, mock: undefined, problems: [] });

export const variableName = () => '';

export const tellOfMock = () => {};
