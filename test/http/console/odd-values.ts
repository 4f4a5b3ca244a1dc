import type { OutboxStore } from '../../../src/entries/outbox.js';
import { consoleOver } from '../../../src/http/console/console.js';
import { readConsoleSettings } from '../../../src/http/console/console-options.js';
import { createOperator } from '../../../src/operator/operator.js';
import { idOf, quarantine } from '../../operator/world.js';
import { callAt, requestOf } from './world.js';

/** Texts that a database refuses, changes or obeys. */
const TEXTS = [
  'B\0-1',
  'B\\u0000',
  '\ud800',
  '\\ud800',
  'B-\u202e1',
  "'; DROP TABLE reports; --",
  '__proto__',
  'x'.repeat(4_000),
];
const NUMBERS = [0.5, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 2 ** 63];
const GROUP = { account: 'default', environment: 'staging', code: 'unprocessable', words: 'x' };

let made = 0;
const newDecision = () => {
  made += 1;
  return `decision-of-odd-values-${made}`;
};

/** Every input of the page's calls with each odd value in each place. */
function* oddCalls(): Generator<readonly [call: string, input: object]> {
  for (const text of TEXTS) {
    for (const name of ['groups', 'search']) yield [name, { account: text }];
    yield ['charts', { range: 'days', account: text }];
    yield ['search', { text }];
    yield ['report', { id: text }];
    yield ['verify', { head: text }];
    yield [
      'reconcile',
      { account: 'default', operation: 'reportBetEvent', environment: 'staging', references: [text] },
    ];
    yield ['reconcile', { account: text, operation: 'reportBetEvent', environment: 'staging', references: ['B-1'] }];
    yield ['body', { id: text, decision: newDecision(), reason: 'why' }];
    yield ['body', { id: idOf('B-1'), decision: newDecision(), reason: text }];
    yield ['undo', { decision: newDecision(), of: newDecision(), reason: text }];
    yield ['reopen', { id: text, decision: newDecision(), reason: 'why' }];
    yield ['reopen', { id: idOf('B-1'), decision: newDecision(), reason: text }];
    yield ['decisions', { who: text }];
    yield ['resume', { account: text, environment: 'staging', decision: newDecision(), reason: 'why' }];
    yield ['resume', { account: 'default', environment: 'staging', decision: newDecision(), reason: text }];
    for (const wrong of [{ account: text }, { code: text }, { words: text }]) {
      const group = { ...GROUP, ...wrong };
      yield ['search', { group }];
      yield ['preview', { action: 'dismissed', selection: { group } }];
      yield ['decide', { action: 'retry', selection: { group }, decision: newDecision(), reason: 'why' }];
    }
    yield ['preview', { action: 'retry', selection: { ids: [text] } }];
    yield ['decide', { action: 'retry', selection: { ids: [text] }, decision: newDecision(), reason: 'why' }];
    yield ['decide', { action: 'retry', selection: { ids: [idOf('B-1')] }, decision: newDecision(), reason: text }];
  }
  for (const number of NUMBERS) {
    yield ['search', { group: GROUP, skip: number }];
    for (const time of [{ from: number }, { to: number }])
      yield* [['search', time] as const, ['decisions', time] as const];
    for (const state of ['quarantined', 'recorded', 'in-flight']) yield ['search', { state, from: number, to: number }];
    yield [
      'decide',
      { action: 'retry', selection: { group: GROUP }, asOf: number, decision: newDecision(), reason: 'why' },
    ];
    yield [
      'decide',
      { action: 'retry', selection: { ids: [idOf('B-1')] }, asOf: number, decision: newDecision(), reason: 'why' },
    ];
  }
  for (const cursor of ['0', '-1', '9007199254740991', '999999999999999', '1e3', '٣']) {
    yield ['search', { cursor }];
    yield ['search', { cursor, group: GROUP }];
    yield ['search', { cursor, decision: newDecision() }];
    yield ['decisions', { before: cursor, who: 'ada', from: 1, to: 2 }];
    yield ['decisions', { before: cursor }];
  }
}

/**
 * The calls with an odd value that were answered by an error of the server, or were not the same call when they were
 * sent again.
 */
export async function failedOddCalls(store: OutboxStore): Promise<string[]> {
  await quarantine(store, ['B-1']);
  const visitor = { name: 'ada', mayAct: true, mayReadBodies: true };
  const handle = consoleOver(
    createOperator({ over: store }),
    readConsoleSettings({ outbox: store, authorize: () => visitor, logger: { warn() {}, error() {} } }),
  );
  const ask = async (call: string, input: object, token = '') => {
    const answer = await handle(requestOf({ url: callAt(call), body: input, headers: { 'x-console-token': token } }));
    return { status: answer.status, text: await (answer as Response).text() };
  };
  const { token } = JSON.parse((await ask('session', {})).text) as { token: string };
  const failed: string[] = [];
  for (const [call, input] of oddCalls()) {
    const { status, text } = await ask(call, input, token);
    // A decision with an id of its own conflicts with no other one.
    const isRight = status < 500 && status !== 409 && !text.includes('"failed"');
    const again = 'decision' in input && status === 200 ? (await ask(call, input, token)).status : status;
    if (!isRight || again !== status)
      failed.push(`${call} ${JSON.stringify(input).slice(0, 300)}: ${status}, then ${again}: ${text.slice(0, 200)}`);
  }
  return failed;
}
