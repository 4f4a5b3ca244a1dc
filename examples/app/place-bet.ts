// A bet of a React Native app, posted once to the operator's own route. docs/how-to/app.md explains it.
import Storage from '@react-native-async-storage/async-storage';
import Geolocation from '@react-native-community/geolocation';

const findPlace = () =>
  new Promise<unknown>((resolve) => {
    const without = () => resolve(undefined);
    setTimeout(without, 12_000); // some phones never answer
    const limits = { timeout: 10_000, maximumAge: 60_000 };
    Geolocation.getCurrentPosition((at) => resolve(at.coords), without, limits);
  });

const UNKNOWN = 'We do not know yet. Press again: it cannot count twice.';
const DAY_MS = 86_400_000;
const keys = new Map<string, string>();
const calls = new Map<string, ReturnType<typeof post>>();
// A phone that is full stores nothing: then the key holds until the app ends.
const stored = <T>(work: Promise<T>) => work.catch(() => undefined);

async function keyOf(slip: string) {
  const key = keys.get(slip) ?? (await stored(Storage.getItem(slip)));
  const isYoung = key && Date.now() - Number.parseInt(key, 10) < DAY_MS;
  return isYoung ? key : `${Date.now()}-${String(Math.random()).slice(2)}`;
}

async function post(slip: string, content: { stake: number }, token: string) {
  const key = await keyOf(slip);
  keys.set(slip, key);
  await stored(Storage.setItem(slip, key));
  const location = await findPlace().catch(() => undefined);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 30_000);
  try {
    const answer = await fetch('https://play.example.com/bets', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ ...content, key, location }),
      signal: stop.signal,
    });
    const { bet_id, request_id = bet_id, message } = await answer.json();
    const isOver = answer.ok && typeof request_id === 'string';
    if (isOver) {
      keys.delete(slip);
      await stored(Storage.removeItem(slip));
    }
    const words = isOver ? 'This went through.' : UNKNOWN;
    return { isOver, message: String(message || words) };
  } catch {
    return { isOver: false, message: UNKNOWN };
  } finally {
    clearTimeout(timer);
  }
}

/** The same content has one key until it is placed, also after a restart. */
export function placeBet(content: { stake: number }, token: string) {
  const slip = `bet ${JSON.stringify(content)}`;
  // A second press meanwhile gets the same answer.
  const call = calls.get(slip) ?? post(slip, content, token).finally(() => calls.delete(slip));
  calls.set(slip, call);
  return call;
}
