/** An answer before it is a `Response`. */
export interface WebAnswer {
  readonly status: number;
  /** A text or a stream is sent as it is, with the `content-type` of `headers`. Any other value is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** `ofAll`: the headers of all answers. Undefined members are left out of the JSON. */
export function toResponse(
  { status, body, headers }: WebAnswer,
  ofAll: Readonly<Record<string, string>> = {},
): Response {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof ReadableStream;
  return new Response(isRaw ? (body ?? null) : JSON.stringify(body), {
    status,
    headers: { ...ofAll, ...(!isRaw && { 'content-type': 'application/json; charset=utf-8' }), ...headers },
  });
}

/** Its body says why. */
export interface RefusalAnswer extends WebAnswer {
  readonly body: { readonly error: { readonly code: string; readonly message: string } };
}

/** Ends a request with a refusal, thrown from any depth. */
export class RefusedRequest extends Error {
  constructor(readonly answer: RefusalAnswer) {
    super('refused');
  }
}

export function refuse(answer: RefusalAnswer): never {
  throw new RefusedRequest(answer);
}

/**
 * The headers of a page that loads only its own files and calls only its own server. It can turn no text into HTML by
 * mistake. `images`: further sources of its images.
 */
export const pageHeaders = (...images: readonly string[]) => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src ${["'self'", ...images].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});
