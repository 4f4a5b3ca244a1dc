// The page's part: it places a bet with its own backend, and reports it through the relay. It contains no key and no
// data about the player. view.js draws the page.
import { focusOn, numberOf, showNotice, showState, watchWin, whileBusy } from './view.js';

const client = LocationSDK.createClient({ relayUrl: '/relay', retry: { limit: 1, baseMs: 200 } });

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** The place of a notice: the login form if the player is logged out. @param {string} id */
const place = (id) => element(element('site').hidden ? 'login-notice' : `${id}-notice`);

/**
 * Reports an entry and shows the result. To the relay the same event again is the same report, so a report in doubt is
 * reported again.
 * @param {'bet' | 'withdrawal'} kind
 * @param {string} id
 */
async function report(kind, id) {
  showNotice(place(kind), { tone: 'wait', title: 'Reporting …' });
  const notice = await send(kind, id).then(
    (receipt) => confirm(receipt, kind),
    (error) => {
      if (!LocationSDK.isReportingError(error)) throw error;
      return explain(error, kind);
    },
  );
  await refresh().catch(() => undefined);
  showNotice(place(kind), notice, () => whileBusy(() => report(kind, id)));
}

/**
 * The identifier is enough: the relay reads the rest from the backend's own records.
 * @param {'bet' | 'withdrawal'} kind
 * @param {string} id
 */
const send = (kind, id) =>
  kind === 'bet' ? client.reportBetEvent({ bet_id: id }) : client.reportWithdrawalEvent({ request_id: id });

/**
 * @param {{ outcome: string, location?: import('location-sdk').Location }} receipt
 * @param {'bet' | 'withdrawal'} kind
 * @returns {import('./view.js').Notice}
 */
function confirm({ outcome, location }, kind) {
  const repaired = outcome === 'already-recorded' ? ' The first answer was lost; it still counts once.' : '';
  return {
    tone: 'good',
    title: kind === 'bet' ? 'Your bet is accepted.' : 'Your withdrawal is on its way.',
    text: `${whereFrom(location)}${repaired}`,
  };
}

/** @param {import('location-sdk').Location | undefined} location */
function whereFrom(location) {
  if (location?.source === 'gps')
    return `This device told us where you are${location.accuracy ? `, to ${Math.round(location.accuracy)} metres` : ''}.`;
  if (location)
    return `Your internet connection told us where you are${location.city ? `: near ${location.city}` : ''}.`;
  return '';
}

/**
 * The text for a player. Decide by `code` and `outcome`; an error's `message` is for developers.
 * @param {import('location-sdk').ReportingError} error
 * @param {'bet' | 'withdrawal'} kind
 * @returns {import('./view.js').Notice}
 */
function explain(error, kind) {
  const it = kind === 'bet' ? 'Your bet' : 'Your withdrawal';
  const support = `${error.code}, ${numberOf(error.reference ?? '')}`;
  if (error.status === 401)
    return { tone: 'bad', title: 'You are logged out.', text: 'Log in, and try again.', support };
  if (error.code === 'duplicate' && !error.conflict)
    return { tone: 'wait', title: `${it} was reported before.`, text: 'The list below shows its state.', support };
  if (error.code === 'duplicate')
    return {
      tone: 'bad',
      title: `We have to check ${it.toLowerCase()}.`,
      text: 'Its number was reported before. Nothing was charged for this try; we will contact you.',
      support,
    };
  if (error.outcome === 'unknown')
    return {
      tone: 'wait',
      title: 'We are not sure yet.',
      text: `${it} may have arrived. Asking again cannot count it twice.`,
      support,
      again: 'Ask again',
    };
  if (error.code === 'location')
    return {
      tone: 'bad',
      title: 'We could not tell where you are.',
      text: `Allow this site to use your location, then try again. ${it} was not sent.`,
      support,
      howToAllow: true,
      again: 'Try again',
    };
  if (error.code === 'rate-limited') {
    const seconds = Math.ceil((error.retryAfterMs ?? 60_000) / 1000);
    return {
      tone: 'bad',
      title: 'The service is busy.',
      text: `Try again in ${seconds} seconds. ${it} was not sent.`,
      support,
      again: 'Try again',
    };
  }
  const again = error.outcome === 'not-sent' ? 'Try again' : undefined;
  return { tone: 'bad', title: `${it} was not accepted.`, text: 'Nothing was charged.', support, again };
}

/** Sends a request to the backend. Rejects with its text for the player. @param {string} path @param {object} [body] */
async function ask(path, body) {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, init).catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  if (!response?.ok)
    throw Object.assign(new Error(answer?.message ?? 'Could not connect to the server.'), { outcome: answer?.outcome });
  return answer;
}

/**
 * Places a bet or a withdrawal with the backend, and returns its id. If the answer is lost, the next press asks for the
 * same. The location is that of the report, which is a step of its own here.
 * @param {string} path
 * @param {Record<string, unknown>} content
 */
async function placeOnce(path, content) {
  /** @type {import('location-sdk/page').PostOnceResult<{ bet_id: string, request_id: string }>} */
  const { isOver, message, bet_id, request_id } = await LocationSDK.postOnce(path, content, { location: null });
  if (!isOver) throw new Error(message);
  return String(bet_id ?? request_id);
}

async function refresh() {
  showState(await ask('/state'), { onReport: (kind, id) => whileBusy(() => report(kind, id)), onSettle, onCondition });
}

/** @param {string} id @param {boolean} won */
const onSettle = (id, won) =>
  act('back-office', async () => {
    await ask(`/back-office/${id}`, { won });
    await refresh();
    showNotice(place('back-office'), { tone: 'good', title: 'Settled and reported.' });
  });

/** @param {string} condition */
const onCondition = (condition) => act('back-office', () => ask('/demonstration', { condition }));

/**
 * Does one thing at a time, and shows its errors.
 * @param {string} id of its notice
 * @param {() => Promise<void>} work
 */
const act = (id, work) =>
  whileBusy(async () => {
    showNotice(place(id));
    try {
      await work();
    } catch (error) {
      const { message, outcome } = /** @type {Error & { outcome?: string }} */ (error);
      const unsure = outcome === 'unknown';
      await refresh().catch(() => undefined);
      showNotice(
        place(id),
        unsure
          ? {
              tone: 'wait',
              title: 'Not sure yet.',
              text: 'It may have arrived. Pressing again sends the same once more.',
            }
          : { tone: 'bad', title: message },
      );
    }
  });

/** @param {string} id of a form @param {string} notice @param {(fields: Record<string, string>) => Promise<void>} work */
function onSubmit(id, notice, work) {
  const form = /** @type {HTMLFormElement} */ (element(id));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form)));
    act(notice, () => work(fields));
  });
}

onSubmit('login', 'login', async (fields) => {
  await ask('/login', fields);
  await refresh();
  focusOn('match');
});
onSubmit('bet', 'bet', async ({ stake, pick }) => {
  const id = await placeOnce('/bets', { stake: Number(stake), pick });
  await report('bet', id);
});
onSubmit('withdraw', 'withdrawal', async ({ amount }) => {
  const id = await placeOnce('/withdrawals', { amount: Number(amount) });
  await report('withdrawal', id);
});
element('logout').addEventListener('click', () =>
  act('bet', async () => {
    await ask('/logout', {});
    await refresh();
    focusOn('nickname-field');
  }),
);
watchWin();
await refresh();
