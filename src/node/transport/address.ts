/** An address in the form of undici. */
export interface ConnectionAddress {
  readonly origin: string;
  readonly path: string;
}

/** Parses addresses. The last one is cached, since a client uses few. */
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
