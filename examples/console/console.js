// The operator's console that all of these examples mount: a page over the outbox, for colleagues alone.
//
// The client reads where to report from LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY, or
// LOCATION_SDK_MOCK.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { createConsole } from 'location-sdk/outbox/console';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

/** Stands for the sessions of a real back office. */
const colleagues = new Map([
  ['ada-1815', { login: 'ada@example.com', isOnCall: true, isOfficer: false }],
  ['bola-1906', { login: 'bola@example.com', isOnCall: false, isOfficer: true }],
]);

/** The outbox of your backend: in an application, the one that `createOutbox` gave there. */
const store = await sqliteStore({ file: process.env.OUTBOX_FILE ?? 'reports.db' });
export const outbox = createOutbox({ client: createClient(), store });

export const operatorConsole = createConsole({
  outbox,

  // Your back office as colleagues see it, such as https://ops.example.com: Next.js needs it, since its requests say
  // localhost.
  allowedOrigins: process.env.PUBLIC_ORIGIN ? [process.env.PUBLIC_ORIGIN] : [],

  // The colleague who looks: from the session of your back office, never from what the page sends. null is answered
  // with 401.
  authorize(request) {
    const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
    const colleague = colleagues.get(session ?? '');
    return colleague ? { name: colleague.login, mayAct: colleague.isOnCall, mayReadBodies: colleague.isOfficer } : null;
  },
});
