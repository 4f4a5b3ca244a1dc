/** The callbacks for the server's events. */
export interface Heard {
  request(entry: unknown): void;
  reset(): void;
  state(state: 'live' | 'reconnecting' | 'refused'): void;
}

const LONGEST_SILENCE_MS = 40_000;
const LONGEST_RECONNECT_WAIT_MS = 3_000;

/**
 * Listens to the events while the page is open, and reconnects when the connection is lost. It uses `fetch`:
 * `EventSource` sends no headers and stops permanently on some answers.
 */
export async function listen(open: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>, heard: Heard): Promise<never> {
  let lastId = '';
  let wait = 250;

  function take(block: string): void {
    let event = 'message';
    let data = '';
    for (const line of block.split('\n')) {
      const [, name, value = ''] = /^([a-z]*):? ?(.*)$/.exec(line) ?? [];
      if (name === 'id') lastId = value;
      else if (name === 'event') event = value;
      else if (name === 'data') data += value;
    }
    if (event === 'reset') heard.reset();
    else if (event === 'request') heard.request(JSON.parse(data));
  }

  for (;;) {
    const ending = new AbortController();
    let refused = false;
    let timer = 0;
    const stillThere = () => {
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), LONGEST_SILENCE_MS) as unknown as number;
    };
    try {
      stillThere();
      const response = await open(lastId ? { 'last-event-id': lastId } : {}, ending.signal);
      const reader = response.body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
      refused = response.status === 401;
      if (!response.ok || !reader) throw new Error();
      heard.state('live');
      wait = 250;
      for (let text = ''; ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        stillThere();
        const blocks = (text + value).split('\n\n');
        text = blocks.pop() as string;
        blocks.forEach(take);
      }
    } catch {
      // Reconnects after any error.
    }
    clearTimeout(timer);
    heard.state(refused ? 'refused' : 'reconnecting');
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 1.5, LONGEST_RECONNECT_WAIT_MS);
  }
}
