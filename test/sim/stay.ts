import type { World } from './world.js';

/** The life of a worker in virtual time. Between two steps it may be overtaken, freeze or die. */
export interface Stay {
  readonly alive: () => boolean;
  /** Whether it was frozen since then. */
  frozeSince(since: number): boolean;
  /** Continues at once or a little later, unless it dies here. */
  point(next: () => void): void;
  /** Continues after a time. A frozen worker continues when it thaws. */
  resume(milliseconds: number, next: () => void): void;
  sleep(milliseconds: number, loop: () => void): void;
  wake(loop: () => void): void;
  /** Dies at once. */
  die(): void;
  /** Ends without a fault. */
  leave(): void;
}

export function createStay(world: World, id: number, died: () => void): Stay {
  const { random, schedule, scenario, coverage, options, trace } = world;
  let alive = true;
  let frozenUntil = -1;
  let asleep = false;
  let woken = false;
  let naps = 0;

  function resume(milliseconds: number, next: () => void): void {
    const step = () => {
      if (!alive) return;
      if (frozenUntil > schedule.now()) schedule.at(frozenUntil, step);
      else next();
    };
    schedule.after(milliseconds, step);
  }

  function die(): void {
    if (!alive) return;
    trace?.(`worker ${id} dies`);
    coverage['worker dies'] += 1;
    alive = false;
    died();
  }

  function wakeUp(loop: () => void): void {
    asleep = false;
    woken = false;
    naps += 1;
    loop();
  }

  return {
    alive: () => alive,
    frozeSince: (since) => frozenUntil >= since,
    resume,
    point(next) {
      if (!alive) return;
      if (schedule.now() < scenario.wellAt) {
        const fate = random.next();
        if (fate < scenario.death) return die();
        if (fate < scenario.death + scenario.freeze) {
          const forMs = random.between(1_000, 120_000);
          trace?.(`worker ${id} freezes for ${Math.round(forMs)} ms`);
          coverage[forMs > options.leaseMs ? 'worker freezes beyond a lease' : 'worker freezes'] += 1;
          frozenUntil = schedule.now() + forMs;
          return resume(forMs, next);
        }
      }
      if (random.chance(0.6)) next();
      else resume(random.between(0, 40), next);
    },
    sleep(milliseconds, loop) {
      if (woken) return resume(0, () => wakeUp(loop));
      asleep = true;
      naps += 1;
      const nap = naps;
      resume(milliseconds, () => {
        if (asleep && nap === naps) wakeUp(loop);
      });
    },
    wake(loop) {
      woken = true;
      if (!asleep) return;
      asleep = false;
      resume(0, () => wakeUp(loop));
    },
    die,
    leave() {
      if (!alive) return;
      trace?.(`worker ${id} leaves`);
      alive = false;
      died();
    },
  };
}
