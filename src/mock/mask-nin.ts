const NIN = /(?<!\d)\d{11}(?!\d)/g;

/** A copy of what the inspector and the admin routes show, in which every text that could be a NIN is masked, whichever field holds it. */
export const maskNin = (shown: unknown): unknown =>
  shown === undefined
    ? undefined
    : JSON.parse(JSON.stringify(shown, (_, value: unknown) => (typeof value === 'string' ? value.replace(NIN, '[masked]') : value)));
