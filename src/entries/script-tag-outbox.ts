/**
 * The face of the script-tag build with the outbox: the members of `LocationSDK`, and two more.
 */

import { createOutbox } from '../outbox/outbox.js';
import { indexedDbStore } from './outbox-indexeddb.js';
import { LocationSDK as core } from './script-tag.js';

export const LocationSDK = { ...core, createOutbox, indexedDbStore };

const { LocationSDK: there } = globalThis as unknown as { LocationSDK: object };
// Beside the other file, whose clients have no door.
Object.assign(there, { createClient: core.createClient, createOutbox, indexedDbStore });
