import type { Entry } from './store.js';

/** Quotes text for a POSIX shell: it stays one word, and the shell runs nothing in it. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The curl command that repeats a request. The page does not have the key. */
export function toCurl(address: string, { method, path, body }: Pick<Entry, 'method' | 'path' | 'body'>, key = '$LOCATION_SDK_KEY'): string {
  const lines = [`curl -X ${/^[A-Z]+$/.test(method) ? method : quote(method)} ${quote(address + path)}`, `-H "x-api-key: ${key}"`];
  if (body !== undefined) lines.push("-H 'content-type: application/json'", `--data-raw ${quote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** A report that the gateway accepts, about an invented person. */
export const EXAMPLE = {
  bet_id: 'BET-1001',
  amount: 1500,
  timestamp: '1795161600',
  user: {
    user_id: 'U-1',
    first_name: 'Ada',
    last_name: 'Example',
    resident_address: '1 Example Road',
    resident_lga: 'Ikeja',
    resident_state: 'LAGOS',
    is_resident: true,
    nin: '99000000001',
    tax_id: '1234567890',
  },
  location: { latitude: 6.45, longitude: 3.39, source: 'gps' },
};

export const EXAMPLE_PATH = '/integration-gateway/external/report-bet-event';
