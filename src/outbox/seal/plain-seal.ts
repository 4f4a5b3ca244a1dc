import { ConfigurationError } from '../../errors/errors.js';
import { sha256 } from '../../platform/hash.js';
import { issue } from '../../schema/issue.js';
import type { MakeSeal, Seal } from './seal.js';

/** Stores the body in plain text with its hash, for pages: the body names no player, and a key would be stored beside it. */
export const plainSeal = (): Seal => ({
  seal: async (body) => ({ body, fingerprint: await sha256(body) }),
  async open(body) {
    if (body[0] !== '{') throw new ConfigurationError('The stored report is encrypted; import location-sdk/outbox.');
    return body;
  },
  matches: async (fingerprint, body) => fingerprint === (await sha256(body)),
});

/** The seal of the script-tag file. */
export const makePlainSeal: MakeSeal = (given, issues) => {
  if (given !== undefined) issues.push(issue(['encryption'], 'invalid', 'is not in the script-tag file; import location-sdk/outbox'));
  return plainSeal;
};
