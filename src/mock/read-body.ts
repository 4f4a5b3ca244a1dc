export const LONGEST_BODY = 1024 * 1024;

/** A request's body as text. Undefined if it has more than `most` bytes; reading stops there. */
export async function readText(request: Request, most = LONGEST_BODY): Promise<string | undefined> {
  const reader = request.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > most) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Whether a request declares a JSON body, as every request must (specification, section 5). */
export const saysJson = ({ headers }: Request): boolean => /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
