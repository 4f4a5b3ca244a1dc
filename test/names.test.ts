import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { clientIpFrom, createClient, ipinfo } from '../src/entries/index.js';
import { mmdb } from '../src/entries/location-mmdb.js';
import { createMockGateway, openApiDocument } from '../src/entries/mock.js';
import { mockGatewayHandlers } from '../src/entries/mock-msw.js';
import { serve, stopOnSignals } from '../src/entries/node.js';
import { instrumentClient, instrumentOutbox } from '../src/entries/opentelemetry.js';
import { createOutbox, memoryStore, verifyReceipts } from '../src/entries/outbox.js';
import { createConsole } from '../src/entries/outbox-console.js';
import { indexedDbStore } from '../src/entries/outbox-indexeddb.js';
import { postgresMigrations, postgresStore } from '../src/entries/outbox-postgres.js';
import { sqliteStore } from '../src/entries/outbox-sqlite.js';
import { createRelay } from '../src/entries/relay.js';
import { nodeTransport } from '../src/entries/transport-node.js';
import { openStore } from './outbox/stores/sqlite/files.js';
import { runCli } from './support/cli-in-process.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from './support/factories.js';
import { newFolder } from './support/new-folder.js';

const gateway = createMockGateway();
const client = createClient(gateway.clientOptions());
const outbox = createOutbox({ client, store: memoryStore() });
const all = createOutbox({ accounts: { brandA: client, brandB: client }, store: memoryStore() });
const unreachable = createClient({
  ...gateway.clientOptions(),
  retry: { limit: 0 },
  fetch: () => Promise.reject(new TypeError('fetch failed')),
});

/** Calls a function with a value of any type, as a program in JavaScript does. */
const call = (run: unknown, ...given: unknown[]): unknown => Reflect.apply(Object(run), undefined, given);
const first = (of: unknown): unknown => Object(of)[Symbol.asyncIterator]().next();

/** Each function with options: the call with a misspelt name, and the name that is meant. */
const FUNCTIONS: Readonly<Record<string, readonly [run: () => unknown, meant: string]>> = {
  createClient: [() => call(createClient, { timoutMs: 1 }), 'timeoutMs'],
  clientIpFrom: [() => call(clientIpFrom, {}, { trustedProxy: [] }), 'trustedProxies'],
  ipinfo: [() => call(ipinfo, { tokens: 'x' }), 'token'],
  createOutbox: [() => call(createOutbox, { client, store: memoryStore(), concurency: 1 }), 'concurrency'],
  memoryStore: [() => call(memoryStore, { playr: 'x' }), 'player'],
  verifyReceipts: [() => call(verifyReceipts, '', { heads: 'x' }), 'head'],
  createMockGateway: [() => call(createMockGateway, { validate: 'strict' }), 'validation'],
  openApiDocument: [() => call(openApiDocument, { adress: 'x' }), 'address'],
  mockGatewayHandlers: [() => call(mockGatewayHandlers, { all: () => undefined }, gateway, { stagin: 'x' }), 'staging'],
  serve: [() => call(serve, gateway, { ports: 1 }), 'port'],
  instrumentClient: [() => call(instrumentClient, client, { meterProviders: 1 }), 'meterProvider'],
  instrumentOutbox: [() => call(instrumentOutbox, outbox, { observeStat: false }), 'observeStats'],
  createConsole: [() => call(createConsole, { outbox, authorize: () => null, readonly: true }), 'readOnly'],
  indexedDbStore: [() => call(indexedDbStore, { players: 'x' }), 'player'],
  stopOnSignals: [() => call(stopOnSignals, outbox, { timeout: 1 }), 'timeoutMs'],
  postgresMigrations: [() => call(postgresMigrations, { schemas: 'x' }), 'schema'],
  postgresStore: [() => call(postgresStore, { database: { query: () => undefined }, schemas: 'x' }), 'schema'],
  sqliteStore: [() => call(sqliteStore, { files: 'x' }), 'file'],
  createRelay: [() => call(createRelay, { client, authorise: () => null }), 'authorize'],
  nodeTransport: [() => call(nodeTransport, { connection: 1 }), 'connections'],
  mmdb: [() => call(mmdb, { databases: {} }), 'database'],
};

/** Each method with options, or with a name. */
const METHODS: Readonly<Record<string, readonly [run: () => unknown, meant: string]>> = {
  'Client.reportBetEvent': [() => call(client.reportBetEvent, betEvent(), { timeout: 1 }), 'timeoutMs'],
  'Client.reportSettledBet': [
    () => call(client.reportSettledBet, settledBet(), { enviroment: 'staging' }),
    'environment',
  ],
  'Client.reportWithdrawalEvent': [
    () => call(client.reportWithdrawalEvent, withdrawalEvent(), { timeout: 1 }),
    'timeoutMs',
  ],
  'Client.reportSettledWithdrawal': [
    () => call(client.reportSettledWithdrawal, settledWithdrawal(), { signals: 1 }),
    'signal',
  ],
  'Client.verifyNin': [() => call(client.verifyNin, '99012345678', { timeout: 1 }), 'timeoutMs'],
  'Client.locate': [() => call(client.locate, { clientIp: '8.8.8.8' }), 'clientIP'],
  'Client.resend': [
    async () =>
      call(client.resend, await unreachable.reportBetEvent(betEvent()).catch((error: unknown) => error), {
        timeout: 1,
      }),
    'timeoutMs',
  ],
  'Outbox.reportBetEvent': [() => call(outbox.reportBetEvent, betEvent(), { timeout: 1 }), 'timeoutMs'],
  'Outbox.reportSettledBet': [
    () => call(outbox.reportSettledBet, settledBet(), { enviroment: 'staging' }),
    'environment',
  ],
  'Outbox.reportWithdrawalEvent': [
    () => call(outbox.reportWithdrawalEvent, withdrawalEvent(), { clientIp: 1 }),
    'clientIP',
  ],
  'Outbox.reportSettledWithdrawal': [
    () => call(outbox.reportSettledWithdrawal, settledWithdrawal(), { signals: 1 }),
    'signal',
  ],
  'Outbox.prepare': [() => call(outbox.prepare, 'reportBetEvents', betEvent(), {}), 'reportBetEvent'],
  'Outbox.stop': [() => call(outbox.stop, { timeout: 1 }), 'timeoutMs'],
  'Outbox.drain': [() => call(outbox.drain, { timeout: 1 }), 'timeoutMs'],
  'Outbox.list': [() => call(outbox.list, { state: 'quarantine' }), 'quarantined'],
  'Outbox.iterate': [() => first(call(outbox.iterate, { operations: 'reportBetEvent' })), 'operation'],
  'Outbox.retry': [() => call(outbox.retry, 'x', { reasons: 'x' }), 'reason'],
  'Outbox.resolve': [() => call(outbox.resolve, 'x', { as: 'recorded', reasons: 'x' }), 'reason'],
  'Outbox.exportReceipts': [() => first(call(outbox.exportReceipts, { froms: 1 })), 'from'],
  'Outbox.reconcile': [
    () => first(call(outbox.reconcile, ['B-1'], { operation: 'reportBetEvent', enviroment: 'staging' })),
    'environment',
  ],
  'Outbox.prune': [() => call(outbox.prune, { olderThanDay: 1, keepReceipts: true }), 'olderThanDays'],
  'Outbox.resume': [() => call(outbox.resume, 'prod'), 'production'],
  'Outbox.on': [() => call(outbox.on, 'quarantine', () => undefined), 'quarantined'],
  'Outboxes.on': [() => call(all.on, 'record', () => undefined), 'recorded'],
  'Outboxes.for': [() => call(all.for, 'brandC'), 'brandA'],
  'MockGateway.waitFor': [() => call(gateway.waitFor, { references: 'B-1' }, { timeoutMs: 1 }), 'reference'],
  'MockGateway.reports': [() => call(gateway.reports, 'staging', { operations: 'x' }), 'operation'],
  'MockGateway.requests': [() => call(gateway.requests, { operation: 'reportBetEvents' }), 'reportBetEvent'],
  'MockGateway.seed': [
    () => call(gateway.seed, [{ operation: 'reportBetEvent', body: {}, enviroment: 'staging' }]),
    'environment',
  ],
};

const refusalOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return String(error);
  }
  return 'it was accepted';
};

test.each(Object.entries({ ...FUNCTIONS, ...METHODS }))(
  '%s refuses a name that does not exist, and names the one that is meant',
  async (_, [run, meant]) => {
    expect(await refusalOf(run)).toMatch(new RegExp(`did you mean '?${meant}'?\\?`));
  },
);

test('a state that is like no other is refused with all of them', async () => {
  expect(await refusalOf(() => call(outbox.list, { state: 'failed' }))).toMatch(
    /expected 'waiting' or 'in-flight' or 'recorded' or 'quarantined' or 'dismissed'/,
  );
  expect(await refusalOf(() => call(outbox.on, 'ready', () => undefined))).toContain("expected 'enqueued' or");
});

describe('the table above is whole', () => {
  const entries = new URL('../src/entries/', import.meta.url).pathname;
  const parse = (file: string) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  /** A parameter with options has a type that ends so, or is an object of optional members. */
  const takesOptions = ({ type }: ts.ParameterDeclaration): boolean =>
    type !== undefined &&
    ((ts.isTypeLiteralNode(type) &&
      type.members.every((member) => ts.isPropertySignature(member) && member.questionToken)) ||
      /(?:Options|Query|Defaults|Addresses)(?:<.*>)?(?:, .*>)?$/.test(type.getText()));

  test('of functions', () => {
    const found = new Set<string>();
    for (const entry of readdirSync(entries).filter((name) => !/^(?:cli|global|script-tag|page)/.test(name)))
      for (const statement of parse(entries + entry).statements) {
        if (
          !ts.isExportDeclaration(statement) ||
          statement.isTypeOnly ||
          !statement.exportClause ||
          !ts.isNamedExports(statement.exportClause)
        )
          continue;
        const from = resolve(
          dirname(entries + entry),
          String(statement.moduleSpecifier?.getText().slice(1, -1)).replace(/\.js$/, '.ts'),
        );
        const names = statement.exportClause.elements.filter((one) => !one.isTypeOnly).map(({ name }) => name.text);
        const visit = (node: ts.Node): void => {
          if (
            ts.isFunctionDeclaration(node) &&
            node.name &&
            names.includes(node.name.text) &&
            node.parameters.some(takesOptions)
          )
            found.add(node.name.text);
          if (
            ts.isVariableDeclaration(node) &&
            names.includes(node.name.getText()) &&
            node.initializer &&
            ts.isArrowFunction(node.initializer)
          )
            if (node.initializer.parameters.some(takesOptions)) found.add(node.name.getText());
          ts.forEachChild(node, visit);
        };
        visit(parse(from));
      }
    expect([...found].filter((name) => !Object.hasOwn(FUNCTIONS, name))).toEqual([]);
    expect(found.size).toBeGreaterThan(10);
  });

  test.each([
    ['Client', 'core/client/client.ts'],
    ['Outbox', 'outbox/interface.ts'],
    ['MockGateway', 'testing/mock/interface.ts'],
  ])('of methods of %s', (name, file) => {
    const source = parse(new URL(`../src/${file}`, import.meta.url).pathname);
    const made = source.statements.find(
      (one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === name,
    );
    const methods =
      made?.members.filter(
        (one): one is ts.MethodSignature => ts.isMethodSignature(one) && one.parameters.some(takesOptions),
      ) ?? [];
    expect(methods.length).toBeGreaterThan(2);
    expect(methods.map((one) => `${name}.${one.name.getText()}`).filter((one) => !Object.hasOwn(METHODS, one))).toEqual(
      [],
    );
  });
});

describe('on the command line', () => {
  async function outboxFile() {
    const file = join(newFolder('names'), 'outbox.db');
    const store = await openStore(file);
    const own = createOutbox({ client, store, account: 'brandA' });
    await own.reportSettledBet(settledBet());
    await store.close?.();
    return file;
  }

  test.each([
    [['stats', '--account', 'brandb'], 'did you mean brandA?'],
    [['list', '--account', 'other'], 'known are brandA'],
    [['prune', '--account', 'brand-A', '--older-than', '9d', '--keep-receipts'], 'did you mean brandA?'],
    [['list', '--state', 'quarantine'], 'did you mean quarantined?'],
    [['stats', '--environment', 'prod'], 'did you mean production?'],
    [['list', '--operation', 'reportBet'], 'did you mean reportBetEvent?'],
    [['stats', '--acount', 'brandA'], 'did you mean --account?'],
    [['stat'], 'did you mean stats?'],
  ])('%j is refused', async (words, meant) => {
    const { code, out, err } = await runCli(['outbox', await outboxFile(), ...words]);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(meant)]);
  });

  test('an account that the outbox knows is accepted, and any account of an empty outbox', async () => {
    expect(await runCli(['outbox', await outboxFile(), 'stats', '--account', 'brandA'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^waiting +1$/m),
    });
    const empty = join(newFolder('names'), 'outbox.db');
    await (await openStore(empty)).close?.();
    expect(await runCli(['outbox', empty, 'stats', '--account', 'default'])).toMatchObject({ code: 0 });
  });
});
