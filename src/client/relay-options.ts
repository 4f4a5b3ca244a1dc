import { relayChannel } from '../delivery/relay-channel.js';
import { readRelayUrl } from '../protocol/addresses.js';
import { issue } from '../schema/issue.js';
import type { ReadChannel } from './parts.js';

/** The relay, if `relayUrl` is given. */
export const readRelay: ReadChannel = ({ given, isGiven, inPage, problems }) => {
  const { relayUrl, relayCredentials, gateways, clock } = given;
  if (relayUrl === undefined) return undefined;
  let address = readRelayUrl(relayUrl);
  if (address.problem) problems.push(issue(['relayUrl'], 'invalid', address.problem));
  // A module that makes a client may run before there is a page, or on a server.
  const resolve = () => {
    if (address.baseUrl === undefined) address = readRelayUrl(relayUrl);
    return address;
  };
  const ofTheRelay = {
    environment: isGiven('environment'),
    gateways: Object.values(gateways).some((gateway) => Object.values(gateway).some((value) => value !== undefined)),
  };
  for (const [name, isHere] of Object.entries(ofTheRelay)) if (isHere) problems.push(issue([name], 'conflict', 'is set by the relay; leave it out'));
  if (given.allowInsecureHttp) problems.push(issue(['allowInsecureHttp'], 'conflict', 'is for a staging gateway, never for a relay; leave it out'));
  return { channel: relayChannel({ resolve, credentials: relayCredentials }, { inPage, clock }), environment: undefined };
};

/** The problem if the build has only the relay channel and no `relayUrl` is given. */
export const RELAY_REQUIRED = issue(
  ['relayUrl'],
  'missing',
  'is required here: this build is for pages with a relay. Without one, import location-sdk, or load location-sdk.global.js',
);
