/** A value that records every access to it, at any depth. */
export function watched(value: unknown, log: string[], path = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const noting = <Read extends (...given: never[]) => unknown>(read: Read) =>
    ((...given: Parameters<Read>) => {
      log.push([path, read.name, ...given.slice(1).filter((key) => typeof key === 'string')].join(' '));
      return read(...given);
    }) as Read;
  return new Proxy(value, {
    get: noting(function get(target: object, key: string | symbol) {
      return watched(Reflect.get(target, key), log, `${path}.${String(key)}`);
    }),
    has: noting(Reflect.has),
    ownKeys: noting(Reflect.ownKeys),
    getOwnPropertyDescriptor: noting(Reflect.getOwnPropertyDescriptor),
    getPrototypeOf: noting(Reflect.getPrototypeOf),
  });
}
