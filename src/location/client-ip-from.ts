/** What is believed of the forwarding headers: how many proxies of one's own stand before the server. */
export interface ClientIpOptions {
  readonly trustedProxies?: number | undefined;
  /** The address of the connection's other end. */
  readonly remoteAddress?: string | undefined;
}

/** The player's address: that of the connection, or what a proxy of one's own wrote. */
export function clientIpFrom(
  request: { readonly headers: { get(name: string): string | null } },
  { trustedProxies = 0, remoteAddress }: ClientIpOptions,
): string | undefined {
  if (trustedProxies === 0) return remoteAddress;
  const written = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  return written.at(-trustedProxies)?.trim();
}
