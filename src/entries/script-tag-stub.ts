/** The stub for pages that call before their script-tag file has loaded. */
import { earlyGlobal } from '../core/client/early-calls.js';

const scope = globalThis as { LocationSDK?: unknown };
const limitMs = Number(document.currentScript?.dataset.timeoutMs) || 30_000;

scope.LocationSDK ||= earlyGlobal(limitMs);
