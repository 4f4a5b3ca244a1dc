// The operator's console in a browser without a driver: this page opens it in a window of its own, as the same origin,
// and presses its buttons.

export const consolePage = `<!doctype html><meta charset="utf-8"><title>location-sdk</title>
<script type="module">
  const tell = (outcome) => fetch('/done', { method: 'POST', body: JSON.stringify({ ...outcome, agent: navigator.userAgent }) });
  /** Waits until the console shows something. */
  const until = async (what, find) => {
    for (let tries = 0; tries < 400; tries += 1) {
      const found = opened.document.body && find(opened.document);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('The console did not show ' + what + ': ' + [...opened.document.querySelectorAll('dialog, #notice, main')].map((one) => one.textContent).join(' | ').slice(0, 600));
  };
  const button = (words) => (page) => [...page.querySelectorAll('button')].find((one) => one.textContent.includes(words) && !one.disabled);
  const broken = [];
  let opened;
  try {
    opened = open('/console#/person', 'console', 'width=390,height=800');
    if (!opened) throw new Error('The browser opened no window.');
    (await until('a group', (page) => page.querySelector('.groups button'))).click();
    opened.document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => broken.push(effectiveDirective));
    (await until('the button for all', button('Send all again'))).click();
    (await until('the reason', (page) => page.querySelector('dialog textarea'))).value = 'The gateway was mended';
    opened.document.querySelector('dialog button[type=submit]').click();
    await until('the decision', (page) => page.querySelector('#notice').textContent.includes('to be sent again'));
    opened.location.hash = '#/';
    await until('the recorded reports', (page) => [...page.querySelectorAll('.tile')].some((tile) => /Recorded\\s*20/.test(tile.textContent)));
    const isWide = opened.document.documentElement.scrollWidth > opened.innerWidth;
    await tell({ outcomes: ['recorded', isWide ? 'too wide' : 'fits', ...broken] });
  } catch (error) {
    await tell({ problem: String(error) });
  }
</script>`;

/** @param {import('./in-browser.js').Run} run */
export function judgeConsole({ said: { outcomes }, reports }) {
  const wrong = [];
  if (String(outcomes) !== 'recorded,fits') wrong.push(`the page was told ${outcomes}`);
  if (reports.length !== 20) wrong.push(`the gateway holds ${reports.length} reports`);
  return wrong;
}
