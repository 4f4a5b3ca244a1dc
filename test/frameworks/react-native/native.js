// The native side of a React Native app, before the app's bundle in one script. `NATIVE` has what the test decides.
// Hermes's own command has no network: a request whose answer is not known yet is printed, and ends the run.
(() => {
  const modules = {};
  globalThis.nativeModuleProxy = modules;
  globalThis.__turboModuleProxy = (name) => modules[name];
  globalThis.nativeLoggingHook = (text, level) => print(JSON.stringify({ log: text, level }));

  // Each run of a story makes the same choices.
  let random = 1;
  Math.random = () => {
    random = (random * 16_807) % 2_147_483_647;
    return random / 2_147_483_647;
  };

  // Time passes only while nothing else is to be done.
  let now = NATIVE.now;
  let id = 0;
  const timers = new Map();
  Date.now = () => now;
  globalThis.performance = { now: () => now };
  globalThis.setTimeout = (run, milliseconds = 0) => {
    id += 1;
    timers.set(id, { run, at: now + milliseconds });
    return id;
  };
  globalThis.clearTimeout = (timer) => timers.delete(timer);
  const tasks = [];
  let hasEnded = false;
  function turn() {
    if (hasEnded) return;
    const task = tasks.shift();
    if (task) task();
    else {
      const [first] = [...timers].sort(([, one], [, other]) => one.at - other.at);
      if (!first) return;
      timers.delete(first[0]);
      now = Math.max(now, first[1].at);
      first[1].run();
    }
    immediately(turn);
  }
  const immediately = globalThis.setImmediate;
  immediately(turn);

  const blobs = new Map();
  const ignore = () => {};
  let requests = 0;
  modules.Networking = {
    addListener: ignore,
    removeListeners: ignore,
    abortRequest: ignore,
    sendRequest(method, url, request, headers, { string }, responseType) {
      const answer = NATIVE.answers[requests];
      requests += 1;
      if (!answer) {
        print(JSON.stringify({ request: { method, url, headers: Object.fromEntries(headers), body: string } }));
        hasEnded = true;
        return;
      }
      const emit = (name, ...values) => tasks.push(() => NATIVE.emit(name, [request, ...values]));
      if (answer.broken) return emit('didCompleteNetworkResponse', answer.broken, false);
      emit('didReceiveNetworkResponse', answer.status, answer.headers, url);
      const blob = {
        blobId: String(request),
        offset: 0,
        size: answer.body.length,
        type: answer.headers['content-type'],
      };
      blobs.set(blob.blobId, answer.body);
      emit('didReceiveNetworkData', responseType === 'blob' ? blob : answer.body);
      emit('didCompleteNetworkResponse', null, false);
    },
  };
  modules.BlobModule = {
    getConstants: () => ({ BLOB_URI_SCHEME: 'content', BLOB_URI_HOST: null }),
    addNetworkingHandler: ignore,
    createFromParts: ignore,
    release: ignore,
  };
  // The storage of the app when it ended last.
  const kept = new Map(Object.entries(NATIVE.kept ?? {}));
  NATIVE.keptNow = () => Object.fromEntries(kept);
  const unlessFull = (work) =>
    NATIVE.isFull ? Promise.reject(new Error('database or disk is full')) : Promise.resolve(work());
  modules.RNAsyncStorage = {
    legacy_multiGet: (names) => unlessFull(() => names.map((name) => [name, kept.get(name) ?? null])),
    legacy_multiSet: ([[name, value]]) => unlessFull(() => void kept.set(name, value)),
    legacy_multiRemove: ([name]) => unlessFull(() => void kept.delete(name)),
  };
  modules.FileReaderModule = { readAsText: ({ blobId }) => Promise.resolve(blobs.get(blobId)) };
  modules.PlatformConstants = { getConstants: () => ({ Version: 35, isTesting: false }) };

  const coords = { altitude: null, altitudeAccuracy: null, heading: null, speed: null, ...NATIVE.position };
  const position = () => ({ coords, timestamp: now });
  modules.RNCGeolocation = {
    addListener: ignore,
    removeListeners: ignore,
    getCurrentPosition(_options, found, failed) {
      if (NATIVE.isSilent) return;
      if (NATIVE.position) found(position());
      else failed({ code: 1, message: 'Location permission was not granted.' });
    },
  };
  globalThis.EXPO_LOCATION = {
    requestForegroundPermissionsAsync: () =>
      Promise.resolve({ granted: NATIVE.isOff || NATIVE.position !== undefined }),
    getCurrentPositionAsync: () =>
      new Promise((resolve, reject) => {
        if (NATIVE.isOff) reject(new Error('Location request failed due to unsatisfied device settings'));
        else if (!NATIVE.isSilent) resolve(position());
      }),
  };
})();
