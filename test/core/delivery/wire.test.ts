import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { answer, lost, recorded, scripted, unreachable } from './scripted-gateway.js';
import { NOT_WIRED, WIRED } from './wired.js';

/** The bytes that undici writes to sockets, as it reports itself. */
async function written(work: () => Promise<unknown>): Promise<string[]> {
  const headers: string[] = [];
  const listen = (message: unknown) => void headers.push((message as { headers: string }).headers);
  subscribe('undici:client:sendHeaders', listen);
  await work().finally(() => unsubscribe('undici:client:sendHeaders', listen));
  return headers;
}

it('every test of delivery and of the client runs over each transport, or the list says why not', () => {
  const tests = ['delivery', 'client'].flatMap((folder) =>
    readdirSync(new URL(`../${folder}`, import.meta.url))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `test/core/${folder}/${name}`),
  );
  expect([...WIRED, ...Object.keys(NOT_WIRED)].sort()).toEqual(tests.sort());
});

it('a scripted request is sent by the transport of its project, or not at all', async () => {
  const by = inject('transport');
  const requests = await written(scripted([answer(503), lost(), recorded()]).report);
  expect(requests).toHaveLength(by ? 3 : 0);
  // Only the built-in fetch adds this header.
  for (const headers of requests) expect(headers.includes('sec-fetch-mode')).toBe(by === 'fetch');
});

it('a scripted request that never connects is not written', async () => {
  const { failure } = scripted([unreachable()], { retry: { limit: 0 } });
  expect(await written(failure)).toEqual([]);
});
