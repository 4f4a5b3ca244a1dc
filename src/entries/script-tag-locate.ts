/** The script-tag file for pages whose own backend reports: they find the position and post. */
import { install } from '../core/client/page-global.js';
import { locate } from '../core/client/page-locate.js';
import { postOnce } from '../core/client/post-once.js';
import { isReportingError } from '../core/errors/errors.js';
import { locationPermission } from '../core/location/page/page.js';
import { unsupported } from '../core/platform/unsupported.js';
import { version } from '../core/platform/version.js';

export const LocationSDK = { isReportingError, locate, locationPermission, postOnce, unsupported, version };

install(LocationSDK);
