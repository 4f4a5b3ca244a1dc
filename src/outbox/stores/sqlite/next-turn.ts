import { MessageChannel, type MessagePort } from 'node:worker_threads';

let waiting: (() => void)[] = [];
let ports: { readonly from: MessagePort; readonly to: MessagePort } | undefined;

/** One channel for all stores: to open one takes longer than a commit may. */
function open() {
  const { port1: to, port2: from } = new MessageChannel();
  to.on('message', () => {
    const turn = waiting;
    waiting = [];
    to.unref();
    for (const resolve of turn) resolve();
  });
  return { from, to };
}

/**
 * Resolves in the next turn of the event loop. By a message: a test that fakes `setImmediate` and the other timers
 * would wait forever.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    ports ??= open();
    if (waiting.push(resolve) > 1) return;
    ports.to.ref();
    ports.from.postMessage(undefined);
  });
