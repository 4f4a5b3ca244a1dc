import type { Entry } from './store.js';

/** For a POSIX shell: whatever the text, it stays one word and nothing in it is run. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The line that sends a request again. The key is never known here. */
export function toCurl(address: string, { method, path, body }: Pick<Entry, 'method' | 'path' | 'body'>, key = '$LOCATION_SDK_KEY'): string {
  const lines = [`curl -X ${/^[A-Z]+$/.test(method) ? method : quote(method)} ${quote(address + path)}`, `-H "x-api-key: ${key}"`];
  if (body !== undefined) lines.push("-H 'content-type: application/json'", `--data-raw ${quote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** A report that the gateway accepts, of a person who is made up. */
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
