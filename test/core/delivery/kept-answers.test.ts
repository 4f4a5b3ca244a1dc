import { describe, expect, it } from 'vitest';
import { answer, bet, broken, once, repeated, type Scripted, scripted } from './scripted-gateway.js';

const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const PLAYER = '3f2c9a4e-7b1d-4c5e-9f6a-a1b2c3d4e5f6';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const HEADERS = ['x-request-id', 'x-correlation-id', 'request-id', 'traceparent'];

const refusal = (headers: Record<string, string> = {}, body: unknown = { message: 'not valid' }) =>
  answer(422, body, headers);

describe('the id that the gateway gives a request', () => {
  it.each(HEADERS)('is read from %s, for a receipt and for an error', async (name) => {
    expect(await scripted([answer(200, { message: 'ok' }, { [name]: UUID })]).report()).toMatchObject({
      outcome: 'recorded',
      requestId: UUID,
    });
    expect(await scripted([refusal({ [name]: UUID })], once).failure()).toMatchObject({
      code: 'unprocessable',
      requestId: UUID,
    });
  });

  it('is that of the first header that has one', async () => {
    const all = Object.fromEntries(HEADERS.map((name, index) => [name, `id-${index}`]));
    for (let index = 0; index < HEADERS.length; index += 1) {
      expect((await scripted([refusal(all)], once).failure()).requestId).toBe(`id-${index}`);
      delete all[HEADERS[index] ?? ''];
    }
  });

  it('is kept if it contains a short part of a value by chance', async () => {
    expect(await scripted([answer(200, { message: 'ok' }, { 'x-request-id': 'u-2-1' })]).report()).toMatchObject({
      requestId: 'u-2-1',
    });
  });

  it('is that of the last attempt', async () => {
    const script: Scripted[] = [
      answer(503, { message: 'busy' }, { 'x-request-id': 'first' }),
      answer(200, { message: 'ok' }, { 'x-request-id': 'second' }),
    ];
    expect(await scripted(script).report()).toMatchObject({ attempts: 2, requestId: 'second' });
    const lost: Scripted[] = [answer(503, { message: 'busy' }, { 'x-request-id': 'first' }), broken('ECONNREFUSED')];
    expect(await scripted(lost, { retry: { limit: 1 } }).failure()).not.toHaveProperty('requestId');
  });

  it('is kept from an answer that says that the report was recorded before', async () => {
    const duplicate = async () => answer(409, await repeated().json(), { traceparent: TRACE });
    const { client, run } = scripted([broken('ECONNRESET'), duplicate]);
    expect(await run(client.reportSettledBet(bet))).toMatchObject({ outcome: 'already-recorded', requestId: TRACE });
  });

  it('is left out if there is none', async () => {
    expect(await scripted([answer(200)]).report()).not.toHaveProperty('requestId');
    expect(await scripted([refusal()], once).failure()).not.toHaveProperty('requestId');
  });

  it.each(['', 'an id in words', 'x'.repeat(129), 'a,b', '<b>', '"quoted"'])(
    'is not kept if it is not an id: %j',
    async (id) => {
      expect(await scripted([answer(200, { message: 'ok' }, { 'x-request-id': id })]).report()).not.toHaveProperty(
        'requestId',
      );
    },
  );

  it('may have 128 letters, digits and marks', async () => {
    const id = `aZ09_.:/+=-${'x'.repeat(117)}`;
    expect(await scripted([answer(200, { message: 'ok' }, { 'x-request-id': id })]).report()).toMatchObject({
      requestId: id,
    });
  });

  it('is that of the next header if the first one contains no id', async () => {
    const headers = { 'x-request-id': 'an id in words', traceparent: TRACE };
    expect(await scripted([answer(200, { message: 'ok' }, headers)]).report()).toMatchObject({ requestId: TRACE });
  });

  it.each([
    ['the NIN', bet.user.nin],
    ['the NIN within a UUID', '7c9e6679-7425-40de-944b-099012345678'],
    ['the NIN within letters', `x${bet.user.nin}y`],
    ['a name', 'req-ADAEZE-1'],
    ['a name within letters', 'xadaezex'],
    ['a part of an address', 'ogui.4'],
    ['the player', 'req/u-1/2'],
    ['the API key', 'req:key-1'],
    ['a piece of the API key', 'a-2c7d9f'],
  ])('is not kept if it repeats %s', async (what, id) => {
    const apiKey = what.includes('piece') ? 'sk-2c7d9f41' : 'key-1';
    const options = { gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey } }, ...once };
    const { client, run } = scripted([answer(200, { message: 'ok' }, { 'x-request-id': id })], options);
    expect(await run(client.reportSettledBet(bet))).not.toHaveProperty('requestId');
  });

  it.each([
    ['as it is', PLAYER],
    ['in capitals', PLAYER.toUpperCase()],
    ['without hyphens', PLAYER.replaceAll('-', '')],
    ['as the id of a trace', `00-${PLAYER.replaceAll('-', '')}-b7ad6b7169203331-01`],
    ['with more behind it', `${PLAYER}-0001`],
  ])('is not kept if it is the UUID of the player, %s', async (_, id) => {
    const { client, run } = scripted([answer(200, { message: 'ok' }, { 'x-request-id': id })]);
    for (const user_id of [PLAYER, PLAYER.toUpperCase(), PLAYER.replaceAll('-', '')]) {
      const again = scripted([answer(200, { message: 'ok' }, { 'x-request-id': id })]);
      expect(
        await again.run(again.client.reportSettledBet({ ...bet, user: { ...bet.user, user_id } })),
        user_id,
      ).not.toHaveProperty('requestId');
    }
    expect(await run(client.reportSettledBet({ ...bet, bet_id: PLAYER }))).toMatchObject({ requestId: id });
  });

  it.each(['req-adebayo-1', 'OKEOWO', 'trace.okeowo:9'])(
    'is not kept if it repeats a name without its accents: %s',
    async (id) => {
      const { client, run } = scripted([answer(200, { message: 'ok' }, { 'x-request-id': id })]);
      const user = { ...bet.user, first_name: 'Adébáyọ̀', last_name: 'Òkéowó' };
      expect(await run(client.reportSettledBet({ ...bet, user }))).not.toHaveProperty('requestId');
    },
  );

  it('of a number to verify is kept too', async () => {
    const { client, failure } = scripted([refusal({ 'x-request-id': UUID })], once);
    expect((await failure(client.verifyNin('99012345678'))).requestId).toBe(UUID);
  });
});

describe("the gateway's JSON", () => {
  const details = async (body: unknown) => (await scripted([refusal({}, body)], once).failure()).details;

  it('is kept with the error, in known words', async () => {
    const body = {
      message: 'not valid',
      code: 'INVALID_FIELD',
      statusCode: 422,
      fields: ['stake', { path: 'user.nin', reason: null }],
      fatal: true,
    };
    expect(await details(body)).toEqual(body);
    expect(await details({ code: 'LIC-4711', limit: 12, seen: 'Ngozi Eze' })).toEqual({
      code: '[masked]',
      limit: '[masked]',
      seen: '[masked]',
    });
  });

  it('is kept for every failure that has one', async () => {
    for (const status of [400, 401, 404, 409, 422, 429, 500])
      expect((await scripted([answer(status, { code: 'DENIED' })], once).failure()).details, `HTTP ${status}`).toEqual({
        code: 'DENIED',
      });
    expect((await scripted([answer(200, { error: 'DENIED' })], once).failure()).details).toEqual({ error: 'DENIED' });
  });

  it('shows no value that was sent, at any place', async () => {
    const said = {
      message: 'player Adaeze Okonkwo of 4 Ogui Road is blocked: LIC-4711',
      number: 99012345678,
      nin: '99012345678',
      stake: 2175,
      outcome: 'WIN',
      99012345678: 'blocked',
      deep: [{ tax: ['2034567890123'] }],
      reference: 'B-1',
    };
    expect(await details(said)).toEqual({
      message: 'player [masked] of [masked] is blocked: [masked]',
      number: '[masked]',
      nin: '[masked]',
      stake: '[masked]',
      outcome: '[masked]',
      '[masked]': 'blocked',
      deep: [{ tax: ['[masked]'] }],
      reference: 'B-1',
    });
  });

  it('is logged with the error, and not in its message', async () => {
    const error = await scripted(
      [refusal({ 'x-request-id': UUID }, { message: 'not valid', code: 'QUILLON_EXPIRED' })],
      once,
    ).failure();
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      requestId: UUID,
      details: { message: 'not valid', code: '[masked]' },
    });
    expect(error.message).not.toContain('EXPIRED');
  });

  it('is absent if the answer is not JSON, or is empty', async () => {
    for (const body of ['<html>no</html>', null])
      expect(await scripted([refusal({}, body)], once).failure()).not.toHaveProperty('details');
    expect(await scripted([broken('ECONNREFUSED')], once).failure()).not.toHaveProperty('details');
  });

  it('is never kept for a number to verify', async () => {
    const { client, failure } = scripted([refusal({}, { message: 'not valid', data: { firstName: 'Chidi' } })], once);
    expect(await failure(client.verifyNin('99012345678'))).not.toHaveProperty('details');
  });
});
