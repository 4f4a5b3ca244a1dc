import { pasteBlock } from '../kit/copy.js';
import { byId, make } from '../kit/dom.js';
import { emptyState } from '../kit/empty.js';
import { EXAMPLE, EXAMPLE_PATH, toCurl } from './curl.js';

/** The instructions that the page shows while it has no report. */
export function fillEmpty(): void {
  const { origin } = location;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: for the shell.
  const example = toCurl(origin, { method: 'POST', path: EXAMPLE_PATH, body: EXAMPLE }, '${LOCATION_SDK_KEY:-mock-api-key}');
  byId('empty').append(
    emptyState(
      'Waiting for the first report',
      make('p', {}, 'Start your application with this variable. Its staging requests then arrive here:'),
      pasteBlock('the environment variable', `LOCATION_SDK_MOCK=${origin}`),
      make('p', {}, 'Or send a report by hand:'),
      pasteBlock('the curl line', example),
    ),
  );
}
