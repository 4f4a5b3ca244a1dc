import { OTHER_DATA, SAME_DATA } from './duplicate-rule.js';
import { type CheckExchange, describeExchange } from './exchange.js';
import { SIZE_OF_BODY } from './size.js';
import { NEVER_INITIATED } from './steps.js';

/** A behaviour of the gateway that the specification leaves open, and the default assumption of the SDK. */
export interface Measured {
  readonly what: string;
  readonly seen: string;
  readonly assumed: string;
}

const LABELS: readonly { readonly what: string; readonly assumed: string; readonly isAbout: (about: string) => boolean }[] = [
  { what: 'the same data again', assumed: 'HTTP 409; or 400 or 422 that say so', isAbout: (about) => about.endsWith(SAME_DATA) },
  {
    what: 'other data under a recorded reference',
    assumed: 'the same, and the message contains "different" or "other data"',
    isAbout: (about) => about.endsWith(OTHER_DATA),
  },
  { what: 'a wrong key', assumed: 'HTTP 401', isAbout: (about) => about === 'a wrong key' },
  { what: 'a settled report without its initiated event', assumed: 'HTTP 404', isAbout: (about) => about.endsWith(NEVER_INITIATED) },
  { what: 'the size of a body', assumed: 'no limit that a report reaches', isAbout: (about) => about.startsWith(SIZE_OF_BODY) },
];

/** The measured behaviours. A behaviour without a request is left out. */
export function measuredOf(exchanges: readonly CheckExchange[]): readonly Measured[] {
  return LABELS.flatMap(({ what, assumed, isAbout }) => {
    const found = exchanges.filter(({ about }) => isAbout(about));
    const answers = found.map((exchange) =>
      exchange.about.startsWith(SIZE_OF_BODY) ? `${exchange.about.slice(SIZE_OF_BODY.length)}: HTTP ${exchange.status ?? 'none'}` : describeExchange(exchange),
    );
    return found.length > 0 ? [{ what, seen: [...new Set(answers)].join('; '), assumed }] : [];
  });
}
