const NIN = /(?<!\d)\d{11}(?!\d)/g;

const mask = (text: string): string => text.replace(NIN, '[masked]');

/** A copy of what the inspector and the admin routes show, in which everything that could be a NIN is masked: in texts, numbers and names of members. */
export function maskNin(shown: unknown): unknown {
  if (typeof shown === 'string') return mask(shown);
  if (typeof shown === 'number') return mask(String(shown)) === String(shown) ? shown : '[masked]';
  if (typeof shown !== 'object' || shown === null) return shown;
  if (Array.isArray(shown)) return shown.map(maskNin);
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [mask(name), maskNin(value)]));
}
