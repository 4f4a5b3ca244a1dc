import { byId, make } from '../kit/dom.js';
import type { FaultRule, SetFault } from '../mock/faults.js';
import { server } from './server.js';
import { faultWords } from './words.js';

const SWITCHES: readonly (readonly [words: string, rule: FaultRule])[] = [
  ['Lose the next answer', { kind: 'connection-reset', when: 'after' }],
  ['503, twice', { kind: 'status', status: 503, times: 2 }],
  ['429, wait 2 s', { kind: 'status', status: 429, retryAfter: 2 }],
  ['Slow, 3 s', { kind: 'latency', delay: 3_000 }],
  ['Hang', { kind: 'hang' }],
];

const leftOf = ({ times, struck }: SetFault) => (times === null ? `applied ${struck}` : `applied ${struck} of ${times ?? 1}`);
const isUsedUp = ({ times, struck }: SetFault) => times !== null && struck >= (times ?? 1);

/** The fault switches. Returns the function that shows the active faults. */
export function createFaultPanel(announce: (text: string) => void): () => Promise<void> {
  let shown = '';
  async function show(): Promise<void> {
    // Active faults come first, then the newest of the rest: the list may be longer than its box.
    const all = (await server.faults()).reverse();
    const faults = [...all.filter((fault) => !isUsedUp(fault)), ...all.filter(isUsedUp)].slice(0, 50);
    const text = JSON.stringify(faults);
    if (text === shown) return;
    shown = text;
    byId('set').replaceChildren(
      ...faults.map((fault) =>
        make(
          'li',
          { class: isUsedUp(fault) ? 'used' : '' },
          make('span', {}, make('b', {}, faultWords(fault)), make('small', {}, ` ${isUsedUp(fault) ? 'used up' : leftOf(fault)}`)),
          make('button', { type: 'button', class: 'quiet', 'aria-label': `Remove ${faultWords(fault)}`, click: () => void remove(fault.id) }, '×'),
        ),
      ),
    );
  }
  async function remove(id: number): Promise<void> {
    await server.removeFault(id);
    await show();
    (document.querySelector<HTMLElement>('#set button') ?? byId('switches').querySelector('button'))?.focus();
    announce('Fault removed');
  }
  byId('switches').append(
    ...SWITCHES.map(([words, rule]) =>
      make(
        'button',
        {
          type: 'button',
          click: async () => {
            await server.addFault(rule);
            await show();
            announce(`Fault set: ${faultWords(rule)}`);
          },
        },
        words,
      ),
    ),
  );
  return show;
}
