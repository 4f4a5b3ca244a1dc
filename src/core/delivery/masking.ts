import { unlessThrown } from '../platform/unless-thrown.js';
import { operations } from '../protocol/operations.js';
import { maskSent, needsNoMask } from '../redact/redact.js';
import { identifiersOf, type Sent, type SentValue, sentOf, sentValues } from '../schema/sent.js';
import type { CallContext } from './channel.js';

/** The context of an attempt at the gateway, whose words may repeat a sent value. */
export interface GatewayContext extends CallContext {
  /** Values that the gateway may repeat: an operator's own words must not be taken for the gateway's. */
  readonly sent: () => Sent;
  /** Every value that was sent, including the keys. */
  readonly values: () => readonly SentValue[];
  /** The values of the report's own identifiers, which may be shown. */
  readonly identifiers: () => readonly string[];
  /** Text of the gateway, in which the sent values are masked. */
  readonly mask: (said: string | undefined) => string | undefined;
}

/** Adds what was sent. It is read out of the report only if an answer has words of its own. */
export function withMasking(context: CallContext, secrets: ReadonlySet<string>): GatewayContext {
  const { report, isReport, host, within, after } = context;
  const { request } = operations[report.operation];
  let parsed: unknown;
  const body = () => {
    parsed ??= JSON.parse(report.body);
    return parsed;
  };
  let found: readonly SentValue[] | undefined;
  const values = () => {
    found ??= [...sentValues(request, body()), ...[...secrets].map((text) => ({ text, kind: 'secret' as const }))];
    return found;
  };
  const identifiers = () => identifiersOf(request, body());
  return {
    report,
    isReport,
    host,
    within,
    after,
    values,
    identifiers,
    sent: () => sentOf(request, body()),
    // Messages about a number to verify are never shown, since they may name its holder.
    mask(said) {
      if (!said || !isReport) return undefined;
      return unlessThrown(() =>
        needsNoMask(said, report.body, secrets) ? said : maskSent(said, values(), identifiers()),
      );
    },
  };
}
