/** What a client in mock mode and the mock gateway agree on. */

export const MOCK_API_KEY = 'mock-api-key';

/** What a mock gateway on a port calls itself, so that no other server is taken for one. */
export const MOCK_NAME = 'location-sdk mock gateway';

/** A made-up place for whoever has none: in tests nobody is asked where they are. */
export const MOCK_LOCATION = { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', country: 'NG', accuracy: 50, source: 'mock' };
