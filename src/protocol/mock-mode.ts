/** Constants that a client in mock mode shares with the mock gateway. */

export const MOCK_API_KEY = 'mock-api-key';

/** The name that a mock gateway on a port gives itself, so that no other server is mistaken for one. */
export const MOCK_NAME = 'location-sdk mock gateway';

/** An invented place: in tests no browser or lookup service is asked. */
export const MOCK_LOCATION = { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', country: 'NG', accuracy: 50, source: 'mock' };
