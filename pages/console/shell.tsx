import { render } from 'preact';
import type { ConsoleSession } from '../../src/http/console/answers.js';
import { Button } from '../kit/parts.js';
import { clock, grouped } from '../kit/words.js';
import { DecisionDialog } from './decide.js';
import { type Asked, ErrorState, type Notice } from './view.js';

/** In the order of their keys. */
export const TABS = [
  ['#/', 'Overview'],
  ['#/person', 'Needs a person'],
  ['#/search', 'Search'],
  ['#/proof', 'Proof'],
  ['#/decisions', 'Decisions'],
] as const;

/** The tab of an address. That of a report has none. */
const tabOf = (hash: string): string | undefined =>
  TABS.map(([tab]) => tab).find((tab) => (tab === '#/' ? hash === '' || hash === tab : hash.startsWith(tab)));

interface ShownNotice extends Notice {
  /** Screen readers read the same text again if it is a new notice. */
  readonly at: number;
}

export interface Shown {
  readonly link: { readonly state: 'connecting' | 'live' | 'lost'; readonly words: string };
  readonly session?: ConsoleSession | undefined;
  readonly hash: string;
  readonly needs: number;
  /** Set while the server cannot be reached: when it was reached last. */
  readonly lostSince?: number | undefined;
  readonly view?: HTMLElement | undefined;
  readonly isBusy: boolean;
  readonly error?: unknown;
  readonly notice?: ShownNotice | undefined;
  readonly asked?: Asked | undefined;
}

interface ShellEvents {
  again(): void;
  close(what: 'notice' | 'asked'): void;
  decided(result: Notice | undefined): void;
}

export function drawShell(shown: Shown, { again, close, decided }: ShellEvents): void {
  const { link, session, hash, needs, lostSince, view, isBusy, error, notice, asked } = shown;
  document.title = needs === 0 ? 'Outbox' : `(${grouped(needs)}) Outbox`;
  render(
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header>
        <div class="brand">
          <h1>Outbox</h1>
          <p class="link" id="link" data-state={link.state}>
            {link.words}
          </p>
        </div>
        <p class="who" id="who">
          {session?.name}
          {session && !session.mayAct && <span class="tag">{session.readOnly ? 'read only' : 'may look'}</span>}
        </p>
      </header>
      <Tabs hash={hash} needs={needs} />
      <section class="lost" id="lost" aria-label="Connection" hidden={lostSince === undefined}>
        <p id="lost-words">
          {lostSince !== undefined &&
            `Connection lost. You see the state of ${clock.format(lostSince)}. Buttons work again once the page has reached the server.`}
        </p>
        <Button id="lost-again" onClick={again} words="Try now" />
      </section>
      <main id="main" tabIndex={-1} aria-busy={isBusy ? 'true' : undefined}>
        {error !== undefined ? (
          <div class="card">
            <ErrorState error={error} again={again} />
          </div>
        ) : view ? (
          <ViewSlot element={view} />
        ) : (
          <p class="loading">Loading…</p>
        )}
      </main>
      <footer class="keys">
        <kbd>1</kbd> to <kbd>5</kbd> views <kbd>j</kbd> <kbd>k</kbd> walk through a list <kbd>/</kbd> search{' '}
        <kbd>Esc</kbd> back
      </footer>
      {/* It stays until it is closed. The page has room for it below its last button. */}
      <div class="notice" id="notice" hidden={!notice}>
        {notice && <NoticeLine key={notice.at} {...notice} onClose={() => close('notice')} />}
      </div>
      <p class="hidden" role="status" id="announce" />
      {asked && <DecisionDialog asked={asked} onDecided={decided} onClosed={() => close('asked')} />}
    </>,
    document.body,
  );
}

const Tabs = ({ hash, needs }: Pick<Shown, 'hash' | 'needs'>) => (
  <nav aria-label="Views">
    <ul id="tabs">
      {TABS.map(([tab, words]) => (
        <li key={tab}>
          <a href={tab} aria-current={tab === tabOf(hash) ? 'page' : undefined}>
            {words}
            {tab === '#/person' && (
              <>
                {' '}
                <b class="count" id="person-count" hidden={needs === 0}>
                  {grouped(needs)}
                </b>
              </>
            )}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

const ViewSlot = ({ element }: { readonly element: HTMLElement }) => (
  <div
    ref={(slot) => {
      if (slot && slot.firstChild !== element) slot.replaceChildren(element);
    }}
  />
);

const NoticeLine = ({ text, action, onClose }: ShownNotice & { readonly onClose: () => void }) => (
  <>
    <p role="status">{text}</p>
    {action && (
      <Button
        onClick={() => {
          onClose();
          action.run();
        }}
        words={action.words}
      />
    )}
    <Button class="quiet" aria-label="Close this message" onClick={onClose} words="×" />
  </>
);
