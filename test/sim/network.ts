import type { Known, ReplyKind } from './answers.js';
import type { Gateway } from './gateway.js';
import { type Attempt, weatherAt } from './scenario.js';
import { subject, type World } from './world.js';

/** The end of an attempt, as its worker sees it. */
export interface Seen {
  readonly reply: Known;
  readonly lie: boolean;
}

/**
 * The network between a worker and the gateway: it loses, delays and breaks requests. A sent request arrives even if
 * its sender dies.
 */
export function createNetwork(world: World, gateway: Gateway) {
  const { random, schedule, scenario, catalogue, options, coverage, trace } = world;
  const silence = (kind: ReplyKind): Seen => ({ reply: random.pick<Known>(catalogue[kind]), lie: false });

  /** Sends an attempt. `ends` is called when its worker would see the end. */
  return (attempt: Attempt, address: string, leaseEndsAt: number, ends: (seen: Seen) => void): void => {
    const began = schedule.now();
    const limit = began + options.attemptTimeoutMs;
    const chaos = began < scenario.wellAt;
    const fault = chaos && random.chance(scenario.network) ? random.next() : 1;
    const endAt = (at: number, seen: Seen) =>
      at > limit ? schedule.at(limit, () => ends(silence('timeout'))) : schedule.at(at, () => ends(seen));

    if (fault < 0.15 || weatherAt(scenario, attempt.report, began) === 'unreachable') {
      coverage['destination unreachable'] += 1;
      endAt(began + random.between(1, 300), silence('unreachable'));
      return;
    }
    if (fault < 0.35) {
      coverage['request lost on its way'] += 1;
      trace?.(`network: ${subject(attempt)} is lost on its way`);
      if (random.chance(0.5)) endAt(began + random.between(1, 5_000), silence('broken'));
      else endAt(limit + 1, silence('timeout'));
      return;
    }
    const arrivesAt = began + (fault < 0.6 ? random.between(1_000, 120_000) : random.between(1, 80));
    const answersIn = fault >= 0.6 && fault < 0.75 ? random.between(0, 30_000) : random.between(1, 80);
    const answerIsLost = fault >= 0.75 && fault < 1;
    if (arrivesAt > limit) schedule.at(limit, () => ends(silence('timeout')));
    schedule.at(arrivesAt, () => {
      if (arrivesAt > leaseEndsAt) coverage['request that lands after its lease'] += 1;
      const answered = gateway.receive(attempt, address, attempt.body);
      if (arrivesAt > limit) return;
      if (answerIsLost) {
        if (answered.reply.truth === 'recorded') coverage['answer lost after recording'] += 1;
        trace?.(`network: the answer to ${subject(attempt)} is lost`);
        if (random.chance(0.6)) endAt(arrivesAt + random.between(1, 3_000), silence('broken'));
        else endAt(limit + 1, answered);
        return;
      }
      if (arrivesAt + answersIn > limit) coverage['answer later than the time limit'] += 1;
      if (answersIn < 40 && arrivesAt + answersIn <= limit) ends(answered);
      else endAt(arrivesAt + answersIn, answered);
    });
  };
}

export type Network = ReturnType<typeof createNetwork>;
