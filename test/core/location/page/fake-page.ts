import type { GeolocationLike, PageScope } from '../../../../src/core/location/page/page.js';

export type Success = Parameters<GeolocationLike['getCurrentPosition']>[0];
export type Failure = Parameters<GeolocationLike['getCurrentPosition']>[1];
export type Request = Parameters<GeolocationLike['getCurrentPosition']>[2];

/** One request that the browser received. The test answers it. */
export interface Asked {
  readonly success: Success;
  readonly failure: Failure;
  readonly options: Request;
}

/** A page whose facts a test can change. It records its listeners. */
export class FakePage implements PageScope {
  isSecureContext = true;
  /** The browser's requests, in order. */
  readonly asked: Asked[] = [];
  /** Called for each request. Without it no answer comes. Its return value is the browser's. */
  answer: (asked: Asked) => unknown = () => {};
  /** The behaviour of `permissions.query`. */
  permission: () => PromiseLike<{ state: string }> = async () => ({ state: 'prompt' });
  allowed: boolean | undefined;
  #visibility = 'visible';
  #listeners = new Set<() => void>();

  readonly navigator = {
    geolocation: {
      getCurrentPosition: (success: Success, failure: Failure, options: Request) => {
        const asked = { success, failure, options };
        this.asked.push(asked);
        return this.answer(asked);
      },
    },
    permissions: { query: () => this.permission() },
  };

  readonly document = Object.defineProperties(
    {
      addEventListener: (_type: 'visibilitychange', listener: () => void) => void this.#listeners.add(listener),
      removeEventListener: (_type: 'visibilitychange', listener: () => void) => void this.#listeners.delete(listener),
    },
    {
      visibilityState: { get: () => this.#visibility },
      featurePolicy: { get: () => (this.allowed === undefined ? undefined : { allowsFeature: () => this.allowed }) },
    },
  );

  get listeners(): number {
    return this.#listeners.size;
  }

  show(visibility: 'visible' | 'hidden'): void {
    this.#visibility = visibility;
    for (const listener of this.#listeners) listener();
  }
}
