// The steps of React Native itself before the first line of an app, without those for a screen.
require('react-native/Libraries/Core/setUpGlobals');
require('react-native/Libraries/Core/polyfillPromise');
require('react-native/Libraries/Core/setUpXHR');
require('react-native/Libraries/Core/setUpNavigator');
NATIVE.emit = (name, values) =>
  require('react-native/Libraries/EventEmitter/RCTDeviceEventEmitter').default.emit(name, values);
