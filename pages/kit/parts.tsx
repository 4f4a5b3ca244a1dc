import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { announce } from './page.js';

/** Each has its own shape, too, since not every reader sees colours. */
export type Tone = 'ok' | 'doubt' | 'repeat' | 'bad';

export interface Status {
  readonly tone: Tone;
  readonly words: string;
}

const SHAPES: Readonly<Record<Tone, string>> = {
  ok: 'M4.5 8.4 7 10.8l4.6-5.6',
  doubt: 'M8 4.2v4.6M8 11.4v.4',
  repeat: 'M5 6.4h6M5 9.6h6',
  bad: 'm5.4 5.4 5.2 5.2m0-5.2-5.2 5.2',
};

export const Mark = ({ tone }: { readonly tone: Tone }) => (
  <svg class={`mark ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="8" r="7.5" />
    <path d={SHAPES[tone]} />
  </svg>
);

export const Badge = ({ tone, words }: Status) => (
  <span class={`badge ${tone}`}>
    <Mark tone={tone} />
    {words}
  </span>
);

export const Button = ({ words, ...attributes }: ButtonHTMLAttributes<HTMLButtonElement> & Pick<Status, 'words'>) => (
  <button {...attributes} type="button">
    {words}
  </button>
);

/** Names without a value are left out. */
export const Facts = ({ of }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl>
    {of
      .filter(([, value]) => value)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

export interface TitledProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export const EmptyState = ({ title, children }: TitledProps) => (
  <div class="empty">
    <h3>{title}</h3>
    {children}
  </div>
);

export const Card = ({ title, children }: TitledProps) => (
  <section class="card" aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);

const COPIED_MS = 1_500;

interface CopyProps {
  /** Completes "Copy …" for those who hear the page. */
  readonly what: string;
  readonly text: string;
  readonly style?: string;
}

export function CopyButton({ what, text, style = 'quiet' }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    announce('Copied');
    setTimeout(() => setCopied(false), COPIED_MS);
  }
  return <Button class={style} aria-label={`Copy ${what}`} onClick={copy} words={isCopied ? 'Copied' : 'Copy'} />;
}

export const PasteBlock = ({ what, text }: CopyProps) => (
  <div class="paste">
    <pre class="line">{text}</pre>
    <CopyButton what={what} text={text} style="" />
  </div>
);

const LONGEST_JSON = 20_000;
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** Names and masked values are marked. */
export const JsonView = ({ value }: { readonly value: unknown }) =>
  useMemo(() => {
    const whole = JSON.stringify(value, undefined, 2) ?? '';
    const text = whole.length > LONGEST_JSON ? `${whole.slice(0, LONGEST_JSON)}\n…` : whole;
    const pieces: ComponentChildren[] = [];
    let end = 0;
    for (const match of text.matchAll(TOKENS)) {
      const [found, quoted = '', colon] = match;
      const kind = colon ? 'name' : quoted === '"[masked]"' ? 'masked' : 'value';
      pieces.push(text.slice(end, match.index), <span class={kind}>{quoted}</span>, colon);
      end = match.index + found.length;
    }
    return (
      <pre>
        {pieces}
        {text.slice(end)}
      </pre>
    );
  }, [value]);

interface DialogProps {
  readonly title: string;
  readonly text: string;
  readonly onClosed: () => void;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A dialog above the page, open as long as it is drawn; Escape closes it. A page has one at a time. */
export function Dialog({ title, text, onClosed, children }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => place.current?.showModal(), []);
  return (
    <dialog ref={place} aria-labelledby="dialog-title" aria-describedby="dialog-text" onClose={onClosed}>
      <h2 id="dialog-title">{title}</h2>
      <p id="dialog-text">{text}</p>
      {children(() => place.current?.close())}
    </dialog>
  );
}
