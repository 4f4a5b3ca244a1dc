import type { Known, ReplyKind } from './answers.js';
import { type Attempt, gatewaysOf, RARE_POLL_MS, type Report, weatherAt } from './scenario.js';
import { breaks, nameOf, subject, Violation, type World } from './world.js';

/** An answer, and whether it is true. */
export interface Answered {
  readonly reply: Known;
  readonly lie: boolean;
}

/** The gateway: its records and its answers, with and without faults. It shares no code with the outbox. */
export function createGateway(world: World) {
  const { random, scenario, catalogue, coverage, schedule, trace } = world;
  const answer = (kind: ReplyKind, lie = false): Answered => ({ reply: random.pick<Known>(catalogue[kind]), lie });

  /** The answer to a report without faults. */
  function process(report: Report, bytes: string): Answered {
    if (report.bad) return answer('refused');
    if (report.held) return answer(report.held.body === bytes ? 'same' : 'conflict');
    if (report.operation.startsWith('reportSettled') && !report.initiated?.held) return answer('missing');
    report.held = { body: bytes, by: 'us' };
    coverage.recorded += 1;
    return answer('recorded');
  }

  /** The answer to a report with faults. */
  function misbehave(report: Report, bytes: string): Answered {
    const which = random.next();
    if (which < 0.2) return answer('failed');
    if (which < 0.4) return failAfter(report, bytes, 'failed');
    if (which < 0.55) return answer('rateLimit');
    if (which < 0.57) return answer(scenario.pollMs === RARE_POLL_MS ? 'absurdRateLimit' : 'rateLimit');
    if (which < 0.66) return answer('unavailable');
    if (which < 0.74) return failAfter(report, bytes, 'unavailable');
    if (which < 0.78) return answer('wrongKey');
    if (which < 0.82) return answer('misdirected');
    if (which < 0.845) return answer('pages');
    if (which < 0.87) return answer('portal');
    if (which < 0.94) return answer('missing', true);
    return answer('refused', true);
  }

  function failAfter(report: Report, bytes: string, kind: 'failed' | 'unavailable'): Answered {
    if (process(report, bytes).reply.truth === 'recorded')
      coverage[kind === 'failed' ? '5xx after recording' : '503 after recording'] += 1;
    return answer(kind);
  }

  return {
    /** Called when a request has arrived. */
    receive(attempt: Attempt, address: string, bytes: string): Answered {
      const { report } = attempt;
      const own = gatewaysOf(report.account)[report.environment];
      if (address !== own)
        breaks(
          world,
          'a report goes to its own gateway',
          `${subject(attempt)} of ${report.account} arrived at ${address}`,
        );
      if (bytes !== attempt.body)
        throw new Violation('bytes are frozen', `${subject(attempt)} sent ${JSON.stringify(bytes)}`);
      if (bytes !== report.current)
        breaks(world, 'nothing is sent that was replaced', `${subject(attempt)} arrived with ${JSON.stringify(bytes)}`);
      const weather = weatherAt(scenario, report, schedule.now());
      const bad = schedule.now() < scenario.wellAt && random.chance(scenario.gateway);
      const answered =
        weather && weather !== 'unreachable'
          ? answer(weather, weather === 'refused' && !report.bad)
          : bad
            ? misbehave(report, bytes)
            : process(report, bytes);
      trace?.(
        `gateway: ${subject(attempt)} → ${answered.reply.name}${report.held ? `; holds it, by ${report.held.by}` : ''}`,
      );
      return answered;
    },
    /** Another sender reports. */
    stranger(report: Report, same: boolean): void {
      if (report.held || report.bad) return;
      report.held = { body: same ? report.current : 'something else', by: 'another sender' };
      trace?.(`another sender reports ${nameOf(report)}, ${same ? 'the same bytes' : 'other bytes'}`);
      coverage[same ? 'reported by someone else, same bytes' : 'reported by someone else, other bytes'] += 1;
    },
  };
}

export type Gateway = ReturnType<typeof createGateway>;
