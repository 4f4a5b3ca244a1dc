import type { Environment } from '../errors/errors.js';
import { GATEWAY_PATH, type Operation, operationNames, operations } from '../protocol/operations.js';

export interface Route {
  readonly environment: Environment;
  readonly row: Operation;
}

const PRODUCTION = '/production';

/** The routes by path: staging at the address itself, production below `/production`. */
const routes = new Map<string, Route>(
  operationNames.flatMap((name) => {
    const row = operations[name];
    const path = GATEWAY_PATH + row.path;
    return [
      [path, { environment: 'staging', row }],
      [PRODUCTION + path, { environment: 'production', row }],
    ] as [string, Route][];
  }),
);

/** For callers that use another method. */
export const PATHS = [...routes.keys()];

export const route = (path: string): Route | undefined => routes.get(path);
