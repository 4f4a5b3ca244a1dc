const NIN = /(?<!\d)\d{11}(?!\d)/g;

const mask = (text: string): string => text.replace(NIN, '[masked]');

/** A copy for the inspector and the admin routes, in which every possible NIN is masked: in texts, numbers and member names. */
export function maskNin(shown: unknown): unknown {
  if (typeof shown === 'string') return mask(shown);
  if (typeof shown === 'number') return mask(String(shown)) === String(shown) ? shown : '[masked]';
  if (typeof shown !== 'object' || shown === null) return shown;
  if (Array.isArray(shown)) return shown.map(maskNin);
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [mask(name), maskNin(value)]));
}
