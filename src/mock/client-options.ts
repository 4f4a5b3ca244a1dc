import { MOCK_LOCATION } from '../protocol/mock-mode.js';
import type { ValidationMode } from '../schema/model.js';
import type { MockClientOptions } from './interface.js';

/** The options with which a client reports to a mock gateway at an address. */
export const clientOptionsFor = (baseUrl: string, apiKey: string, validation: ValidationMode, locationRequired: boolean): MockClientOptions => ({
  gateways: { staging: { baseUrl, apiKey }, production: { baseUrl: `${baseUrl}/production`, apiKey } },
  validation,
  location: { required: locationRequired, fixed: MOCK_LOCATION },
  // The key is not secret: it is printed in this file.
  allowApiKeyInBrowser: true,
});
