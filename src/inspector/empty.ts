import { EXAMPLE, EXAMPLE_PATH, toCurl } from './curl.js';
import { byId, make } from './dom.js';

/** What to paste where nothing has arrived yet. */
export function fillEmpty(): void {
  const { origin } = location;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: for the shell.
  const example = toCurl(origin, { method: 'POST', path: EXAMPLE_PATH, body: EXAMPLE }, '${LOCATION_SDK_KEY:-mock-api-key}');
  const block = (label: string, text: string) => {
    const button: HTMLButtonElement = make(
      'button',
      {
        type: 'button',
        'aria-label': `Copy ${label}`,
        click: async () => {
          await navigator.clipboard.writeText(text);
          button.textContent = 'Copied';
        },
      },
      'Copy',
    );
    return make('div', { class: 'paste' }, make('pre', { class: 'line' }, text), button);
  };
  byId('empty').append(
    make('h3', {}, 'Waiting for the first report'),
    make('p', {}, 'Start your application with this, and what it means for staging arrives here:'),
    block('the environment variable', `LOCATION_SDK_MOCK=${origin}`),
    make('p', {}, 'Or send a report by hand:'),
    block('the curl line', example),
  );
}
