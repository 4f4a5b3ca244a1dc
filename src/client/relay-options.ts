import { relayChannel } from '../delivery/relay-channel.js';
import { readRelayUrl } from '../protocol/addresses.js';
import { issue } from '../schema/issue.js';
import type { ReadChannel } from './parts.js';

/** The relay, where `relayUrl` is given. */
export const readRelay: ReadChannel = ({ given, isGiven, inPage, problems }) => {
  const { relayUrl, relayCredentials, gateways, clock } = given;
  if (relayUrl === undefined) return undefined;
  const { baseUrl = '', problem } = readRelayUrl(relayUrl);
  if (problem) problems.push(issue(['relayUrl'], 'invalid', problem));
  const ofTheRelay = {
    environment: isGiven('environment'),
    gateways: Object.values(gateways).some((gateway) => Object.values(gateway).some((value) => value !== undefined)),
  };
  for (const [name, isHere] of Object.entries(ofTheRelay)) if (isHere) problems.push(issue([name], 'conflict', "is the relay's to know; leave it out"));
  return { channel: relayChannel({ relayUrl: baseUrl, credentials: relayCredentials }, { inPage, clock }), environment: undefined };
};

/** What is said where a relay is the only channel of a build, and none is given. */
export const RELAY_REQUIRED = issue(
  ['relayUrl'],
  'missing',
  'is required here: this build is for pages with a relay. Without one, import location-sdk, or load location-sdk.global.js',
);
