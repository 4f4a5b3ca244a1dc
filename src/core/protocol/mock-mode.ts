/** Constants that a client in mock mode shares with the mock gateway. */

export const MOCK_API_KEY = 'mock-api-key';

/**
 * What a store remembers as the gateway of staging reports in mock mode. A mock gateway may have another port each
 * time. No address of a gateway is equal to it, so a real gateway never gets these reports.
 */
export const MOCK_GATEWAY = 'mock-gateway';

/** The name that a mock gateway on a port gives itself, so that no other server is mistaken for one. */
export const MOCK_NAME = 'location-sdk mock gateway';

/** An invented place: in tests no browser or lookup service is asked. */
export const MOCK_LOCATION = {
  latitude: 6.4541,
  longitude: 3.3947,
  city: 'Lagos',
  country: 'NG',
  accuracy: 50,
  source: 'mock',
};
