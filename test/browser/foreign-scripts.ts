/**
 * Other scripts of a page, as functions that run in it: each changes the page's built-in objects as the named library
 * does. Some are shops' of today.
 */
export const FOREIGN_SCRIPTS: Readonly<Record<string, () => void>> = {
  'Prototype.js 1.6': () => {
    const list = Array.prototype as unknown as Record<string, unknown>;
    type Callback = (one: unknown, index: number) => unknown;
    const each = (of: readonly unknown[], call: Callback) => of.forEach((one, index) => void call(one, index));
    const added: Record<string, (this: unknown[], call: Callback) => unknown> = {
      map(call) {
        const results: unknown[] = [];
        each(this, (one, index) => results.push(call(one, index)));
        return results;
      },
      filter(call) {
        const results: unknown[] = [];
        each(this, (one, index) => call(one, index) && results.push(one));
        return results;
      },
      find(call) {
        for (let index = 0; index < this.length; index += 1) if (call(this[index], index)) return this[index];
        return undefined;
      },
      some(call) {
        for (let index = 0; index < this.length; index += 1) if (call(this[index], index)) return true;
        return false;
      },
      every(call) {
        for (let index = 0; index < this.length; index += 1) if (!call(this[index], index)) return false;
        return true;
      },
      reduce() {
        return this.length > 1 ? this : this[0];
      },
      entries() {
        return this.slice();
      },
      toArray() {
        return this.slice();
      },
      toJSON() {
        return `[${this.join(', ')}]`;
      },
      first() {
        return this[0];
      },
      flatten() {
        return this;
      },
    };
    for (const [name, method] of Object.entries(added)) list[name] = method;
    Object.assign(String.prototype, {
      toJSON(this: string) {
        return `"${this}"`;
      },
      toArray(this: string) {
        return this.split('');
      },
      startsWith(this: string, start: string) {
        return this.indexOf(start) === 0;
      },
      endsWith(this: string, end: string) {
        const at = this.length - end.length;
        return at >= 0 && this.lastIndexOf(end) === at;
      },
    });
    Object.assign(Number.prototype, {
      toJSON(this: number) {
        return this.toString();
      },
    });
    const membersOf = (of: Record<string, unknown>) => {
      const names: string[] = [];
      for (const name in of) names.push(name);
      return names;
    };
    Object.assign(Object, {
      keys: membersOf,
      values: (of: Record<string, unknown>) => membersOf(of).map((name) => of[name]),
      extend: Object.assign,
    });
    Object.assign(Array, {
      from: (of: { length?: number; toArray?: () => unknown } | null) =>
        of?.toArray ? of.toArray() : Array.prototype.slice.call(of ?? []),
    });
  },
  'Prototype.js 1.7': () => {
    Object.assign(Array.prototype, {
      entries(this: unknown[]) {
        return this.slice();
      },
      toArray(this: unknown[]) {
        return this.slice();
      },
    });
    Object.assign(Array, {
      from: (of: { length?: number; toArray?: () => unknown } | null) =>
        of?.toArray ? of.toArray() : Array.prototype.slice.call(of ?? []),
    });
  },
  MooTools: () => {
    Object.assign(Array, {
      from: (of: unknown) => (of === null || of === undefined ? [] : Array.isArray(of) ? of : [of]),
    });
    Object.assign(Object, { append: Object.assign });
  },
  Datejs: () => {
    Object.assign(Date, {
      now: () => new Date(),
      parse: (text: string) => {
        const date = new Date(text);
        return Number.isNaN(date.getTime()) ? null : date;
      },
    });
  },
  'an old Promise': () => {
    const Native = Promise;
    type Run<T> = ConstructorParameters<typeof Promise<T>>[0];
    class OldPromise<T> {
      readonly inner: Promise<T>;
      constructor(run: Run<T>) {
        this.inner = new Native(run);
      }
      // biome-ignore lint/suspicious/noThenProperty: it is a promise.
      then<A, B>(done?: (value: T) => A, failed?: (error: unknown) => B) {
        return new OldPromise<A | B>((resolve, reject) => this.inner.then(done, failed).then(resolve as never, reject));
      }
      catch<B>(failed: (error: unknown) => B) {
        return this.then(undefined, failed);
      }
      static resolve = (value: unknown) => new OldPromise((resolve) => resolve(value));
      static reject = (error: unknown) => new OldPromise((_, reject) => reject(error));
      static all = (of: Iterable<unknown>) => new OldPromise((resolve, reject) => Native.all(of).then(resolve, reject));
      static race = (of: Iterable<unknown>) =>
        new OldPromise((resolve, reject) => Native.race(of).then(resolve, reject));
    }
    Object.assign(globalThis, { Promise: OldPromise });
  },
  'a fetch over XMLHttpRequest': () => {
    const fetch = (url: string, { method, headers, body, signal }: RequestInit) =>
      new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open(method ?? 'GET', url);
        for (const [name, value] of Object.entries({ ...(headers as Record<string, string>) }))
          request.setRequestHeader(name, value);
        request.onload = () =>
          resolve({
            status: request.status,
            headers: { get: (name: string) => request.getResponseHeader(name) },
            text: async () => request.responseText,
          });
        request.onerror = () => reject(new TypeError('Network request failed'));
        signal?.addEventListener('abort', () => request.abort());
        request.send(body as string | undefined);
      });
    Object.assign(globalThis, { fetch });
  },
  'members of all objects': () => {
    Object.assign(Object.prototype, { extend: () => undefined, each: () => undefined, forEach: 'of all objects' });
  },
};
