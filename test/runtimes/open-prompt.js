// A player who does not answer the browser's prompt: the page clicks its button three times, and only the first bet may
// wait for the answer.

/** How long the page waits for an answer. */
const ANSWER_MS = 4_000;
/** From the click to the relay, once the player has left the prompt open. */
const PROMPT_MS = 1_000;

export const openPromptPage = `<!doctype html><meta charset="utf-8"><title>location-sdk</title>
<button>Bet</button>
<script src="/location-sdk.global.js"></script>
<script type="module">
  const tell = (outcome) => fetch('/done', { method: 'POST', body: JSON.stringify(outcome) });
  const permission = async () => (await navigator.permissions.query({ name: 'geolocation' })).state;
  try {
    const client = LocationSDK.createClient({ relayUrl: '/relay', location: { browser: { timeoutMs: ${ANSWER_MS} } } });
    const button = document.querySelector('button');
    const outcomes = [];
    for (let bet = 0; bet < 3; bet += 1) {
      const reported = new Promise((resolve) => {
        button.onclick = () => resolve(client.reportBetEvent({ bet_id: 'BET-' + Date.now(), amount: 1500 }));
      });
      button.click();
      outcomes.push((await reported).outcome + ' ' + (await permission()));
    }
    await tell({ outcomes, agent: navigator.userAgent });
  } catch (error) {
    await tell({ problem: String(error), steps: error.steps });
  }
</script>`;

/**
 * The problems, in words; empty if there are none.
 * @param {import('./in-browser.js').Run} run
 */
export function judgeOpenPrompt({ said, arrivals, reports }) {
  const wrong = [];
  if (String(said.outcomes) !== String(Array(3).fill('recorded prompt'))) wrong.push(`the page got ${said.outcomes}`);
  const waited = reports.map(
    ({ reference }, index) => (arrivals[index] ?? Number.NaN) - Number(reference?.slice('BET-'.length)),
  );
  const [first = 0, ...later] = waited;
  // Otherwise the browser answered by itself, and nothing was tested.
  if (!(first >= ANSWER_MS))
    wrong.push(`the first bet reached the relay after ${first} ms: the browser did not wait for the player`);
  if (later.length !== 2 || later.some((ms) => !(ms <= PROMPT_MS)))
    wrong.push(`the later bets reached the relay after ${later.join(' and ')} ms`);
  return wrong;
}
