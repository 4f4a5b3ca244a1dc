/** What a client in mock mode and the mock gateway agree on. */

export const MOCK_API_KEY = 'mock-api-key';

/** A made-up place for whoever has none: in tests nobody is asked where they are. */
export const MOCK_LOCATION = { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', country: 'NG', accuracy: 50, source: 'mock' };
