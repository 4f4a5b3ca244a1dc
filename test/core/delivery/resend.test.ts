import { describe, expect, it } from 'vitest';
import { isReportingError } from '../../../src/core/errors/errors.js';
import { answer, bet, conflicting, lost, once, recorded, repeated, scripted, unreachable } from './scripted-gateway.js';

describe('resend', () => {
  it('sends the same bytes again; a new call would take a new time', async () => {
    const { client, run, failure, sent, clock } = scripted([lost(), recorded()], once);
    const event = { bet_id: 'B-1', amount: 1500, user: bet.user };
    const location = { latitude: 6.45, longitude: 3.39 };
    const error = await failure(client.reportBetEvent(event, { location }));
    clock.advance(3_600_000);
    expect(await run(client.resend(error))).toMatchObject({
      outcome: 'recorded',
      reference: 'B-1',
      location: { ...location, source: 'provided' },
    });
    expect(sent[1]?.init.body).toBe(sent[0]?.init.body);
  });

  it('starts in doubt: the answer that the gateway has the data means success', async () => {
    const { client, run, failure } = scripted([lost(), repeated()], once);
    expect(await run(client.resend(await failure()))).toMatchObject({ outcome: 'already-recorded', attempts: 1 });
  });

  it('starts without doubt if nothing was sent', async () => {
    const { client, failure } = scripted([unreachable(), repeated()], once);
    const error = await failure();
    expect(await failure(client.resend(error))).toMatchObject({
      code: 'duplicate',
      conflict: false,
      outcome: 'rejected',
    });
  });

  it('distinguishes a conflict from success', async () => {
    const { client, failure } = scripted([lost(), conflicting()], once);
    const error = await failure();
    expect(await failure(client.resend(error))).toMatchObject({
      code: 'duplicate',
      conflict: true,
      outcome: 'rejected',
    });
  });

  it('that fails too can be repeated any number of times', async () => {
    const { client, run, failure } = scripted([lost(), answer(422), unreachable(), repeated()], once);
    const first = await failure();
    const second = await failure(client.resend(first));
    expect(second).toMatchObject({ code: 'unprocessable', outcome: 'unknown' });
    const third = await failure(client.resend(second));
    expect(third).toMatchObject({ code: 'network', outcome: 'unknown' });
    expect(await run(client.resend(third))).toMatchObject({ outcome: 'already-recorded' });
  });

  it('with wrong options leaves the report in doubt and can be repeated', async () => {
    const { client, run, failure } = scripted([lost(), repeated()], once);
    const first = await failure();
    const second = await failure(client.resend(first, { timeoutMs: -1 }));
    expect(second).toMatchObject({ code: 'validation', outcome: 'unknown' });
    expect(await run(client.resend(second))).toMatchObject({ outcome: 'already-recorded' });
  });

  it('by a client without the environment leaves the report in doubt', async () => {
    const { failure } = scripted([lost()], once);
    const error = await failure();
    const elsewhere = scripted([], { gateways: {} });
    expect(await elsewhere.failure(elsewhere.client.resend(error))).toMatchObject({
      code: 'configuration',
      outcome: 'unknown',
    });
  });

  it.each([
    ['a foreign error', new Error('no')],
    ['no error', undefined],
    ['a payload', bet],
  ])('refuses %s', async (_, value) => {
    const { client, failure, sent } = scripted([]);
    expect(await failure(client.resend(value))).toMatchObject({
      code: 'validation',
      outcome: 'not-sent',
      issues: [{ path: 'error' }],
    });
    expect(sent).toHaveLength(0);
  });

  it('refuses a copy of the error, such as one that was posted to another thread: only the error itself keeps the report', async () => {
    const { client, failure, run } = scripted([lost(), repeated()], once);
    const error = await failure();
    expect(await failure(client.resend(structuredClone(error)))).toMatchObject({
      code: 'validation',
      issues: [{ path: 'error' }],
    });
    expect(await run(client.resend(error))).toMatchObject({ outcome: 'already-recorded' });
  });

  it('keeps no NIN that was to be verified', async () => {
    const { client, failure } = scripted([lost()], once);
    const error = await failure(client.verifyNin('99012345678'));
    expect(isReportingError(error)).toBe(true);
    expect(await failure(client.resend(error))).toMatchObject({ code: 'validation' });
  });
});
