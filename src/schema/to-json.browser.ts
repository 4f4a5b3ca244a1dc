import { copyJson } from './copy-json.js';
import type { Location } from './location.js';

/** In the script-tag file always by way of a copy: a page sends few reports, and every visitor would pay for more. */
export const toJson = (body: object, location: Location | undefined): string => JSON.stringify(copyJson(location ? { ...body, location } : body).value);
