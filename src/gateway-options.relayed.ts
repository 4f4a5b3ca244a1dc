import type { Environment } from './errors.js';
import type { optionTable, Resolved } from './option-table.js';
import type { GatewayOptions } from './options.js';
import { issue, type ValidationIssue } from './schema/issue.js';

const RELAY_ONLY = 'this script-tag file is for pages with a relay: set relayUrl; for a gateway, import location-sdk and location-sdk/outbox from npm';

/** Refuses what is for a gateway, and a client that has no relay. */
export function readGateway(
  environment: Environment,
  given: GatewayOptions,
  { relayUrl }: Pick<Resolved<typeof optionTable>, 'relayUrl'>,
  _: boolean,
  problems: ValidationIssue[],
): string {
  const isGiven = Object.values(given).some((value) => value !== undefined);
  if (isGiven || relayUrl === undefined) problems.push(issue(isGiven ? ['gateways', environment] : ['relayUrl'], 'invalid', RELAY_ONLY));
  return RELAY_ONLY;
}
