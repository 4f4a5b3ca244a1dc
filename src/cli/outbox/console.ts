import { userInfo } from 'node:os';
import { consoleOver } from '../../console/console.js';
import { readConsoleSettings } from '../../console/settings.js';
import { serveConsole } from '../../node/console-server.js';
import { createConsoleData } from '../../outbox/console/create-console-data.js';
import { listening } from '../listening.js';
import { EXIT, remark, say } from '../output.js';
import { signalled } from '../signalled.js';
import type { OutboxValues } from './options.js';
import type { View } from './printable.js';

/** Serves the operator's console on this machine until a signal ends it. */
export async function serveOutbox({ store, command }: View, { port = 0, 'read-only': only, json }: OutboxValues): Promise<number> {
  const readOnly = only === true;
  const visitor = { name: nameOfUser(), mayAct: true, mayReadBodies: true };
  const data = createConsoleData({ over: store, command });
  const { address, close } = await listening(
    () =>
      serveConsole((isLoggedIn) => {
        const settings = readConsoleSettings({ outbox: store, authorize: (request) => isLoggedIn(request) && visitor, readOnly });
        return consoleOver(data, settings);
      }, port),
    `127.0.0.1:${port}`,
  );
  const ended = signalled();
  say(json ? JSON.stringify({ event: 'ready', address }) : `Open this address in a browser on this machine. It works once:\n  ${address}`);
  if (!json) remark(`\nYour decisions are kept under the name ${visitor.name}.${readOnly ? ' This console is read-only.' : ''} Stop with Ctrl+C.`);
  await ended;
  await close();
  return EXIT.done;
}

/** The login name on this machine, which is kept with each decision. */
function nameOfUser(): string {
  try {
    return userInfo().username || 'command line';
  } catch {
    // A container may run under a user number without a name.
    return 'command line';
  }
}
