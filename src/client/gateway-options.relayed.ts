import type { Environment } from '../errors/errors.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import type { optionTable, Resolved } from './option-table.js';
import type { GatewayOptions } from './options.js';

const RELAY_ONLY = 'this script-tag file is for pages with a relay alone: set relayUrl; for all else import location-sdk and location-sdk/outbox from npm';

/** Refuses what is for a gateway, and a client that has no relay; and what this file has left out. */
export function readGateway(
  environment: Environment,
  given: GatewayOptions,
  { relayUrl, location }: Pick<Resolved<typeof optionTable>, 'relayUrl' | 'location'>,
  _: boolean,
  problems: ValidationIssue[],
): string {
  const refuse = (path: string[], isGiven: boolean) => isGiven && problems.push(issue(path, 'invalid', RELAY_ONLY));
  refuse(
    ['gateways', environment],
    Object.values(given).some((value) => value !== undefined),
  );
  // Of two environments, once.
  if (environment === 'production') {
    refuse(['relayUrl'], relayUrl === undefined);
    refuse(['location', 'reverseGeocode'], location.reverseGeocode !== undefined);
  }
  return RELAY_ONLY;
}
