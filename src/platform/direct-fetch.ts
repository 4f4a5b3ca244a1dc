import type { Fetch } from './web-types.js';

const DIRECT = Symbol.for('location-sdk.direct-fetch');

/** Marks a `fetch` that is asked as it is, since making a `Request` first would cost more than sending it. */
export const markDirect = <F extends Fetch>(fetch: F): F => Object.assign(fetch, { [DIRECT]: true });

/** Whether a `fetch` is asked as it is, whichever copy of the package marked it. */
export const isDirect = (fetch: Fetch): boolean => (fetch as Fetch & { [DIRECT]?: unknown })[DIRECT] === true;

const UNSENT = Symbol.for('location-sdk.unsent');

/** Says of the signal of a request, or of the error that it ends with, that nothing of it had left. */
export const tellUnsent = (of: object): void => void Reflect.set(of, UNSENT, true);

/** Whether that was said. */
export const isUnsent = (of: unknown): boolean => typeof of === 'object' && of !== null && (of as { [UNSENT]?: unknown })[UNSENT] === true;
