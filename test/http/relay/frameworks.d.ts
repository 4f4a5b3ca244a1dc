/** The parts of the frameworks' types that the examples use: none of them is installed here. */

declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => unknown;
  interface Application {
    disable(setting: string): void;
    use(middleware: Middleware): void;
    use(path: string, middleware: Middleware): void;
    listen(port: number): void;
  }
  const express: { (): Application; json(): Middleware };
  export default express;
}

declare module 'fastify' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Scope {
    removeAllContentTypeParsers(): void;
    addContentTypeParser(
      type: string,
      parser: (request: unknown, payload: unknown, done: (error: Error | null) => void) => void,
    ): void;
    all(
      path: string,
      handler: (request: { raw: IncomingMessage }, reply: { raw: ServerResponse; hijack(): void }) => unknown,
    ): void;
  }
  export default function fastify(): {
    register(plugin: (scope: Scope) => Promise<void>): void;
    listen(options: { port: number }): Promise<string>;
  };
}

declare module 'hono' {
  export interface Context {
    readonly req: { readonly raw: Request };
    readonly env: { readonly incoming?: { readonly url?: string } };
  }
  export class Hono {
    all(path: string, handler: (context: Context) => Promise<Response>): void;
    readonly fetch: (request: Request) => Promise<Response>;
  }
}

declare module '@hono/node-server' {
  export function serve(options: { fetch: (request: Request) => Promise<Response>; port: number }): void;
}

declare module '@hono/node-server/conninfo' {
  export function getConnInfo(context: import('hono').Context): { readonly remote: { readonly address?: string } };
}
