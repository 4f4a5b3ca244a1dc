import { consoleOver } from '../../http/console/console.js';
import { readConsoleSettings } from '../../http/console/console-options.js';
import { serveConsole } from '../../http/node/console-server.js';
import { EXIT, remark, say } from '../output.js';
import { listening, signalled } from '../serving.js';
import type { RunCommand } from './options.js';
import { userName } from './person.js';

export const serveOutbox: RunCommand = async ({ store, operator }, { port = 0, 'read-only': only, json }) => {
  const readOnly = only === true;
  const visitor = { name: userName() ?? 'command line', mayAct: true, mayReadBodies: true };
  const { address, close } = await listening(
    () =>
      serveConsole((isLoggedIn) => {
        const settings = readConsoleSettings({
          outbox: store,
          authorize: (request) => isLoggedIn(request) && visitor,
          readOnly,
        });
        return consoleOver(operator, settings);
      }, port),
    `127.0.0.1:${port}`,
  );
  const ended = signalled();
  say(
    json
      ? JSON.stringify({ event: 'ready', address })
      : `Open this address in a browser on this machine. It works once:\n  ${address}`,
  );
  if (!json)
    remark(
      `\nYour decisions are kept under the name ${visitor.name}.${readOnly ? ' This console is read-only.' : ''} Stop with Ctrl+C.`,
    );
  await ended;
  await close();
  return EXIT.done;
};
