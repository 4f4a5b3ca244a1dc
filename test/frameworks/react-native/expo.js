// The parts of `expo` and `expo-modules-core` that `expo-location` imports. They need an app with a screen.
export const Platform = { OS: 'android' };
export const PermissionStatus = {};
export class EventEmitter {}
export class UnavailabilityError extends Error {}
export const createPermissionHook = () => undefined;
export const isRunningInExpoGo = () => false;
export const requireNativeModule = () => EXPO_LOCATION;
