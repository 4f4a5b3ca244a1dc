import { OTHER_DATA, SAME_DATA } from './duplicate-rule.js';
import { type CheckExchange, describeExchange } from './exchange.js';
import { SIZE_OF_BODY } from './size.js';

/** What the gateway does where the specification gives no answer, and what the SDK takes for granted until it is told otherwise. */
export interface Measured {
  readonly what: string;
  readonly seen: string;
  readonly assumed: string;
}

const LABELS: readonly { readonly what: string; readonly assumed: string; readonly isAbout: (about: string) => boolean }[] = [
  { what: 'the same data again', assumed: 'HTTP 409; or 400 or 422 that say so', isAbout: (about) => about.endsWith(SAME_DATA) },
  {
    what: 'other data under a reference that is held',
    assumed: 'the same, and it says "different" or "other data"',
    isAbout: (about) => about.endsWith(OTHER_DATA),
  },
  { what: 'a wrong key', assumed: 'HTTP 401', isAbout: (about) => about === 'a wrong key' },
  { what: 'a settled report that was never initiated', assumed: 'HTTP 404', isAbout: (about) => about.endsWith(' of what was never initiated') },
  { what: 'the size of a body', assumed: 'no limit that a report meets', isAbout: (about) => about.startsWith(SIZE_OF_BODY) },
];

/** What was measured, from the answers; without what was not asked. */
export function measuredOf(exchanges: readonly CheckExchange[]): readonly Measured[] {
  return LABELS.flatMap(({ what, assumed, isAbout }) => {
    const found = exchanges.filter(({ about }) => isAbout(about));
    const answers = found.map((exchange) =>
      exchange.about.startsWith(SIZE_OF_BODY) ? `${exchange.about.slice(SIZE_OF_BODY.length)}: HTTP ${exchange.status ?? 'none'}` : describeExchange(exchange),
    );
    return found.length > 0 ? [{ what, seen: [...new Set(answers)].join('; '), assumed }] : [];
  });
}
