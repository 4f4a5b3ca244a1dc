// The console behind the back office's own session.
import { createConsole } from 'location-sdk/outbox/console';

/** Stands for the sessions of a real back office. */
const colleagues = new Map([
  ['ada-1815', { login: 'ada@example.com', isOnCall: true, isOfficer: false }],
  ['bola-1906', { login: 'bola@example.com', isOnCall: false, isOfficer: true }],
]);

/** @param {import('location-sdk/outbox').Outbox} outbox */
export const createBackOffice = (outbox) =>
  createConsole({
    outbox,
    // The colleague who looks: from the session, never from what the page sends. null is answered with 401.
    authorize(request) {
      const session = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
      const colleague = colleagues.get(session ?? '');
      return colleague
        ? { name: colleague.login, mayAct: colleague.isOnCall, mayReadBodies: colleague.isOfficer }
        : null;
    },
  });
