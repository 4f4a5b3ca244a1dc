import type { Client } from './client.js';
import * as functions from './default-client.js';
import type { PageOptions } from './options.js';

/** The client of a page: its reports go through your backend's relay, which adds the player. */
export type PageClient = Client<'relay'>;

/** The function that makes the client of a page. */
export type CreatePageClient = (options: PageOptions) => PageClient;

/** `Client.reportBetEvent` of the default client, with the payload of a page: without `user`. */
export const reportBetEvent: PageClient['reportBetEvent'] = functions.reportBetEvent;

/** `Client.reportWithdrawalEvent` of the default client, with the payload of a page: without `user` and `userId`. */
export const reportWithdrawalEvent: PageClient['reportWithdrawalEvent'] = functions.reportWithdrawalEvent;

/**
 * Sends the bytes of a failed report again, with the default client. A new call is the same report for the relay, so
 * most pages do not need it. See `Client.resend`.
 */
export const resend: PageClient['resend'] = functions.resend;
