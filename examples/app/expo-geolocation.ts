// The option `geolocation` of a client in an Expo app.
import * as Location from 'expo-location';
import type { ClientOptions } from 'location-sdk/page';

export const geolocation: ClientOptions['geolocation'] = {
  async getCurrentPosition(found, failed) {
    const { granted } = await Location.requestForegroundPermissionsAsync();
    if (!granted) return failed({ code: 1 });
    Location.getCurrentPositionAsync().then(found, () => failed({ code: 2 }));
  },
};
