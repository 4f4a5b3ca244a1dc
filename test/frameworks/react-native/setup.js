// What React Native itself does before an app's first line, as far as there is no screen.
require('react-native/Libraries/Core/setUpGlobals');
require('react-native/Libraries/Core/polyfillPromise');
require('react-native/Libraries/Core/setUpXHR');
require('react-native/Libraries/Core/setUpNavigator');
NATIVE.emit = (name, values) =>
  require('react-native/Libraries/EventEmitter/RCTDeviceEventEmitter').default.emit(name, values);
