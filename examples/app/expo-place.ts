// The position of an Expo app for its own backend, or undefined.
import * as Location from 'expo-location';

export const findPlace = async () => {
  const { granted } = await Location.requestForegroundPermissionsAsync();
  if (!granted) return undefined;
  // It rejects if the phone's location is off, and some phones never answer.
  const found = Location.getCurrentPositionAsync().catch(() => undefined);
  const late = new Promise<undefined>((end) => {
    setTimeout(() => end(undefined), 12_000);
  });
  return (await Promise.race([found, late]))?.coords;
};
