import { describe, expect, it } from 'vitest';
import { MOCK_GATEWAY } from '../../../src/core/protocol/mock-mode.js';
import { createOutboxEvents } from '../../../src/outbox/events.js';
import type { BoundDestination, Gateways } from '../../../src/outbox/rules/destination.js';
import { createBindings, ensureOwnGateways, isUnbound } from '../../../src/outbox/sending/bindings.js';

const OWN = 'https://own.example.com';
const FOREIGN = 'https://foreign.example.com';
const THIRD = 'https://third.example.com';
const IN_MOCK_MODE = { staging: MOCK_GATEWAY, production: OWN };

const staging = { account: 'brandA', environment: 'staging' } as const;
const production = { ...staging, environment: 'production' } as const;
const at = (gateway: string, of: Omit<BoundDestination, 'gateway'> = staging): BoundDestination => ({ ...of, gateway });

interface Given {
  /** The addresses that the store returns, in the order of the destinations. Absent: it binds each as asked. */
  readonly bound?: readonly string[];
  /** The addresses of the client. Default: its own one. */
  readonly gateways?: Gateways;
}

/** A worker with one licence in two environments, and a store that holds these addresses. */
function world({ bound, gateways = { staging: OWN, production: OWN } }: Given = {}) {
  const asked: (readonly BoundDestination[])[] = [];
  const told: { message: string; cause: unknown }[] = [];
  let failing = false;
  const store = {
    bind: async (given: readonly BoundDestination[]) => {
      if (failing) throw new Error('no connection to the database');
      asked.push(given);
      return bound ?? given.map(({ gateway }) => gateway);
    },
  };
  const settings = {
    store,
    accounts: [{ account: 'brandA', gateways }],
  };
  const events = createOutboxEvents();
  events.on('error', (event) => told.push(event));
  return {
    settings,
    ...createBindings(settings, events),
    asked,
    told,
    messages: () => told.map(({ message }) => message),
    fails: (now: boolean) => (failing = now),
  };
}

const both = [at(OWN), at(OWN, production)];

describe('before its first turn, a worker', () => {
  it('binds each destination of its accounts to its gateway, once', async () => {
    const { bind, asked, told } = world();
    await bind();
    await bind();
    expect(asked).toEqual([both]);
    expect(told).toEqual([]);
  });

  it('binds them at its next turn if the store has failed', async () => {
    const { bind, asked, fails } = world();
    fails(true);
    await expect(bind()).rejects.toThrow('no connection');
    fails(false);
    await bind();
    expect(asked).toEqual([both]);
  });

  it('reports each destination that is bound to another gateway, in an event', async () => {
    const { bind, told, messages } = world({ bound: [OWN, FOREIGN] });
    await bind();
    expect(told).toEqual([
      {
        message: expect.stringContaining(`(account brandA, production) go to ${FOREIGN}`),
        cause: expect.objectContaining({ code: 'configuration', message: told[0]?.message }),
      },
    ]);
    expect(messages()).toEqual([expect.stringContaining(`would send them to ${OWN}`)]);
    expect(messages()[0]).not.toContain('mock mode');
  });

  it('names the mock mode as the reason of another gateway', async () => {
    const { bind, messages } = world({ bound: [FOREIGN, OWN], gateways: IN_MOCK_MODE });
    await bind();
    expect(messages()).toEqual([
      expect.stringContaining('would send them to the mock gateway of mock mode (LOCATION_SDK_MOCK)'),
    ]);
  });

  it('reports nothing for a destination of which the store returns no gateway', async () => {
    const { bind, told } = world({ bound: [] });
    await bind();
    expect(told).toEqual([]);
  });
});

describe('at each look, a worker', () => {
  const gatewaysOf = (messages: readonly string[]) => messages.map((message) => /go to (\S+),/.exec(message)?.[1]);

  it('does not bind again while the store has all its destinations', async () => {
    const { bind, compare, asked, told } = world();
    await bind();
    compare([...both, at(FOREIGN, { ...staging, account: 'brandB' })]);
    await bind();
    expect(asked).toEqual([both]);
    expect(told).toEqual([]);
  });

  it.each([
    ['the first', [at(OWN, production)]],
    ['the last', [at(OWN)]],
    ['each', []],
  ])('binds again after the store has lost %s of its destinations', async (_, left) => {
    const { bind, compare, asked, told } = world();
    await bind();
    compare(left);
    await bind();
    expect(asked).toEqual([both, both]);
    expect(told).toEqual([]);
  });

  it('reports another gateway once, and again when it changes', () => {
    const { compare, messages, told } = world();
    for (const gateway of [FOREIGN, FOREIGN, THIRD, THIRD, FOREIGN]) compare([at(gateway), at(OWN, production)]);
    expect(gatewaysOf(messages())).toEqual([FOREIGN, THIRD, FOREIGN]);
    expect(told).toHaveLength(3);
  });

  it.each([
    ['the right gateway', both],
    ['none', [at(OWN, production)]],
  ])('reports the same gateway again if the destination had %s in the meantime', (_, between) => {
    const { compare, messages } = world();
    for (const outlooks of [[at(FOREIGN), at(OWN, production)], between, [at(FOREIGN), at(OWN, production)]])
      compare(outlooks);
    expect(gatewaysOf(messages())).toEqual([FOREIGN, FOREIGN]);
  });

  it('keeps the reports of several destinations apart', () => {
    const { compare, messages } = world();
    compare([at(FOREIGN), at(OWN, production)]);
    compare([at(FOREIGN), at(FOREIGN, production)]);
    compare([at(FOREIGN), at(FOREIGN, production)]);
    expect(messages().map((message) => /account brandA, (\w+)/.exec(message)?.[1])).toEqual(['staging', 'production']);
  });

  it('does not repeat a report of its first turn', async () => {
    const { bind, compare, messages } = world({ bound: [FOREIGN, OWN] });
    await bind();
    compare([at(FOREIGN), at(OWN, production)]);
    expect(messages()).toHaveLength(1);
  });
});

describe('an outbox that shall send what is in the store', () => {
  it('binds its destinations and continues if each has its own gateway, or none is returned', async () => {
    const { settings, asked } = world();
    await ensureOwnGateways(settings);
    await ensureOwnGateways(world({ bound: [] }).settings);
    expect(asked).toEqual([both]);
  });

  it('is refused if a destination is bound to another gateway', async () => {
    const message = `The reports in this store (account brandA, production) go to ${FOREIGN}`;
    await expect(ensureOwnGateways(world({ bound: [OWN, FOREIGN] }).settings)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(message),
    });
    await expect(ensureOwnGateways(world({ bound: [FOREIGN, OWN], gateways: IN_MOCK_MODE }).settings)).rejects.toThrow(
      'mock mode',
    );
  });
});

describe('a destination', () => {
  it('is unbound if the store does not have its account and environment together', () => {
    expect(isUnbound(staging, both)).toBe(false);
    expect(isUnbound(staging, [at(OWN, production), at(OWN, { ...staging, account: 'brandB' })])).toBe(true);
    expect(isUnbound(staging, [])).toBe(true);
  });
});
