import type { GeolocationLike } from '../../../src/location/page/geolocation-types.js';
import type { PageScope } from '../../../src/location/page/page.js';

export type Success = Parameters<GeolocationLike['getCurrentPosition']>[0];
export type Failure = Parameters<GeolocationLike['getCurrentPosition']>[1];
export type Request = Parameters<GeolocationLike['getCurrentPosition']>[2];

/** One question that the browser got; the test answers it when it likes. */
export interface Asked {
  readonly success: Success;
  readonly failure: Failure;
  readonly options: Request;
}

/** A page whose facts a test may change, and which knows who listens to it. */
export class FakePage implements PageScope {
  isSecureContext = true;
  /** What the browser was asked, in order. */
  readonly asked: Asked[] = [];
  /** Called for each question; without it, nobody answers. What it returns, the browser returns. */
  answer: (asked: Asked) => unknown = () => {};
  /** What `permissions.query` does. */
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
