// An app without a screen: it plays the story that the test names, with the code of the guide for apps.
import './setup';
import { createClient, playerMessage, postOnce } from 'location-sdk/page';
import { geolocation } from './guide/expo-geolocation';
import { findPlace } from './guide/expo-place';
import { placeBet } from './guide/place-bet';
import { clientOf } from './guide/relay-client';

const relayUrl = 'https://play.example.com/relay';
const EVENT = { bet_id: NATIVE.reference };

const stories = {
  async placeBet() {
    const { isOver, message } = await placeBet({ stake: 1500 }, 'token-1');
    return { isOver, words: message, kept: NATIVE.keptNow() };
  },
  /** Two presses at once. */
  async pressTwice() {
    const [one, other] = await Promise.all([1, 2].map(() => placeBet({ stake: 1500 }, 'token-1')));
    return { isOver: one.isOver && other.isOver, words: other.message };
  },
  findPlace,
  /** The player presses again after each answer that did not come. */
  async postOnce() {
    const headers = { authorization: 'Bearer token-1' };
    const location = { ...(await findPlace()), source: 'gps' };
    const press = () =>
      postOnce('https://play.example.com/bets', { stake: 1500 }, { location, headers, credentials: 'omit' });
    return [await press(), await press()];
  },
  report: () => clientOf('token-1').reportBetEvent(EVENT),
  withdraw: () =>
    clientOf('token-1').reportWithdrawalEvent({ request_id: NATIVE.reference, metadata: { account_last4: '0042' } }),
  reportWithExpo: () => createClient({ relayUrl, geolocation }).reportBetEvent(EVENT),
  locate: () => createClient({ relayUrl, geolocation }).locate(),
  locateWithNothing: () => createClient({ relayUrl }).locate(),
  /** The problem with each of several addresses of the relay. */
  addresses: async () => NATIVE.given.map((relayUrl) => problemOf(() => createClient({ relayUrl }))),
  messages: async () => NATIVE.given.map((situation) => playerMessage(situation).text),
};

function problemOf(work) {
  try {
    work();
    return 'none';
  } catch ({ message }) {
    return message;
  }
}

const tell = (what, value) => print(JSON.stringify({ [what]: value ?? null }));

stories[NATIVE.story]().then(
  (value) => tell('result', value),
  (error) => tell('failed', { ...error, message: error.message, words: playerMessage(error).text }),
);
