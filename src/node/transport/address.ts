/** An address as undici takes it. */
export interface ConnectionAddress {
  readonly origin: string;
  readonly path: string;
}

/** Reads addresses; the last one is remembered, since a client asks few. */
export function createAddressReader() {
  let last: { url: string; address: ConnectionAddress } | undefined;
  return (url: string): ConnectionAddress => {
    if (last?.url !== url) {
      const { origin, pathname, search } = new URL(url);
      last = { url, address: { origin, path: pathname + search } };
    }
    return last.address;
  };
}
