import type { GeolocationLike } from './geolocation-types.js';

interface PolicyLike {
  allowsFeature(name: 'geolocation'): boolean;
}

/** The part of a page's global object that the SDK reads. Every member may be missing, and each getter may throw. */
export interface PageScope {
  readonly isSecureContext?: boolean;
  readonly navigator?: {
    readonly geolocation?: GeolocationLike;
    readonly permissions?: { query(permission: { name: 'geolocation' }): PromiseLike<{ readonly state: string }> };
  };
  readonly document?: {
    readonly visibilityState?: string;
    readonly permissionsPolicy?: PolicyLike;
    readonly featurePolicy?: PolicyLike;
    addEventListener(type: 'visibilitychange', listener: () => void): void;
    removeEventListener(type: 'visibilitychange', listener: () => void): void;
  };
}

/** Facts about the page. Each is read again at each use. No member throws. */
export interface Page {
  geolocation(): GeolocationLike | undefined;
  isSecure(): boolean;
  isHidden(): boolean;
  /** Calls the listener whenever the page becomes hidden. Returns a function that removes the listener. */
  whenHidden(listener: () => void): () => void;
  /** Whether the page's Permissions Policy is known to forbid geolocation. */
  isForbidden(): boolean;
  /** Only a hint: Safari always says `'prompt'`. May reject, and may never settle. */
  permission(): Promise<string | undefined>;
}

/** The value that is read. Undefined if reading it throws. */
export const unlessThrown = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Makes a page of its global object; `given` replaces the browser's geolocation. */
export function readPage(scope: PageScope, given: GeolocationLike | undefined): Page {
  // jsdom says "prerender" for every page.
  const isHidden = () => unlessThrown(() => scope.document?.visibilityState) === 'hidden';
  return {
    geolocation: () => given ?? unlessThrown(() => scope.navigator?.geolocation),
    // jsdom and happy-dom do not have it.
    isSecure: () => unlessThrown(() => scope.isSecureContext) !== false,
    isHidden,
    whenHidden(listener) {
      const heard = () => {
        if (isHidden()) listener();
      };
      unlessThrown(() => scope.document?.addEventListener('visibilitychange', heard));
      return () => unlessThrown(() => scope.document?.removeEventListener('visibilitychange', heard));
    },
    isForbidden: () => unlessThrown(() => (scope.document?.permissionsPolicy ?? scope.document?.featurePolicy)?.allowsFeature('geolocation')) === false,
    permission: async () => (await scope.navigator?.permissions?.query({ name: 'geolocation' }))?.state,
  };
}
