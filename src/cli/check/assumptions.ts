/** The result of a run for one assumption. After `one value taken`, the other values are still unknown. */
type AssumptionVerdict = 'confirmed' | 'one value taken' | 'differs' | 'not seen';

interface Assumption {
  /** The gap in the specification, in the words of its row in docs/background/assumptions.md. */
  readonly gap: string;
  readonly assumed: string;
  /** The option to change if the gateway differs. */
  readonly option?: string;
}

/**
 * The assumptions that a gateway's answers can confirm or refute. A test compares them with
 * docs/background/assumptions.md.
 */
export const ASSUMPTIONS = {
  once: { gap: 'whether `/external` occurs once or twice in an address', assumed: 'it occurs once', option: 'paths' },
  paths: {
    gap: 'where initiated events are reported',
    assumed: 'report-bet-event and report-withdrawal-event',
    option: 'paths',
  },
  redirects: { gap: 'whether redirects are to be followed', assumed: 'no: the gateway sends none' },
  bet: {
    gap: 'what an initiated bet holds',
    assumed: 'bet_id, amount, timestamp, user, metadata, location',
    option: 'validation',
  },
  withdrawal: {
    gap: 'what an initiated withdrawal holds',
    assumed: 'the settled report without status',
    option: 'validation',
  },
  required: {
    gap: 'which fields are required',
    assumed: 'not city, region, country and accuracy of a location',
    option: 'validation',
  },
  bounds: {
    gap: 'how `win_amount`, `payout_amount`, `ggr` and `ur` go together',
    assumed: 'no rule: a negative ggr is accepted',
  },
  words: {
    gap: 'the values of `outcome` (but `WIN`), `status`, `residency_status` and `method`',
    assumed: 'any: LOSS, SUCCESS, RESIDENT, bank_transfer',
  },
  source: { gap: 'the values of `source`', assumed: 'gps, client_ip', option: 'location.sourceNames' },
  country: { gap: 'how `country` is written', assumed: 'two letters, such as NG' },
  success: {
    gap: 'what a successful report answers, except for `settle-withdrawal`',
    assumed: 'any 2xx, JSON or empty, without a sign of failure',
    option: 'isRecorded',
  },
  nin: { gap: 'what a NIN verification needs to hold', assumed: 'a boolean success' },
  duplicate: {
    gap: 'the status of a duplicate report',
    assumed: '409, 400 or 422, or a 2xx that failed, with words that say so',
    option: 'isDuplicate',
  },
  conflict: {
    gap: 'whether other data under a held reference is told apart from the same data',
    assumed: 'yes, in the message',
    option: 'isDuplicate',
  },
  meanings: {
    gap: 'what 400, 404 and 422 mean in detail',
    assumed: '404: settled, but never initiated; 400: malformed',
  },
  retryAfter: { gap: 'whether `Retry-After` is sent', assumed: 'with 429', option: 'maxRetryAfterMs' },
  rate: { gap: 'rate limits', assumed: 'none that this run reaches' },
  timeouts: { gap: 'timeouts', assumed: 'an answer comes within 10 s', option: 'attemptTimeoutMs' },
} as const satisfies Record<string, Assumption>;

export type AssumptionId = keyof typeof ASSUMPTIONS;

export type Findings = ReturnType<typeof createFindings>;

/** The findings of a run about each assumption. A difference is kept, even if other answers agree. */
export function createFindings() {
  const found = new Map<AssumptionId, { verdict: AssumptionVerdict; seen: ReadonlySet<string> }>();
  return {
    note(id: AssumptionId, verdict: Exclude<AssumptionVerdict, 'not seen'>, seen: string): void {
      const before = found.get(id);
      if (before?.verdict === 'differs' && verdict !== 'differs') return;
      const earlier = before?.verdict === verdict ? before.seen : [];
      found.set(id, { verdict, seen: new Set([...earlier, seen]) });
    },
    list: () =>
      (Object.keys(ASSUMPTIONS) as AssumptionId[]).map((id) => {
        const assumption: Assumption = ASSUMPTIONS[id];
        const { verdict = 'not seen', seen = [] } = found.get(id) ?? {};
        return { id, ...assumption, verdict, seen: [...seen].join('; ') };
      }),
  };
}
