import { defineConfig, type Options } from 'tsup';
import { inspectorDefine } from './inspector.build.js';
import { notices } from './tsup.notices.js';
import { scriptTag, scriptTagWithOutbox } from './tsup.script-tag.js';
import { zodByName } from './tsup.zod.js';

const entries = {
  index: 'src/index.ts',
  mock: 'src/mock/index.ts',
  'mock-msw': 'src/mock/msw.ts',
  'mock-node': 'src/node/index.ts',
  outbox: 'src/outbox/index.ts',
  'outbox-contract': 'src/outbox/contract/index.ts',
  'outbox-postgres': 'src/outbox/stores/postgres/index.ts',
  'outbox-sqlite': 'src/outbox/stores/sqlite/index.ts',
  'outbox-indexeddb': 'src/outbox/indexeddb.ts',
  opentelemetry: 'src/opentelemetry/index.ts',
  'outbox-node': 'src/node/outbox.ts',
  'outbox-pg-boss': 'src/outbox/pg-boss.ts',
  relay: 'src/relay/index.ts',
  'relay-node': 'src/node/relay.ts',
  'location-mmdb': 'src/node/mmdb-entry.ts',
  'transport-node': 'src/node/transport.ts',
};

const shared = {
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/],
  // `node:sqlite` exists under no other name.
  removeNodeProtocol: false,
  sourcemap: true,
  treeshake: true,
  define: await inspectorDefine(),
  esbuildPlugins: [zodByName, notices],
} satisfies Options;

export default defineConfig([
  { ...shared, entry: entries, format: 'esm', dts: true },
  // ky exists as ESM only, so the CommonJS build carries it inside.
  { ...shared, entry: entries, format: 'cjs', dts: true, noExternal: ['ky'], splitting: true, outExtension: () => ({ js: '.cjs', dts: '.d.cts' }) },
  { ...shared, entry: { cli: 'src/node/cli.ts' }, format: 'esm' },
  { ...scriptTag, esbuildPlugins: [...scriptTag.esbuildPlugins, notices], entry: { 'location-sdk': 'src/global.ts' } },
  { ...scriptTagWithOutbox, esbuildPlugins: [...scriptTagWithOutbox.esbuildPlugins, notices], entry: { 'location-sdk.outbox': 'src/global-outbox.ts' } },
]);
