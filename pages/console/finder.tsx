import type { ComponentChildren } from 'preact';
import { announce } from '../kit/page.js';
import { Button } from '../kit/parts.js';
import { createLastCall } from './calls.js';
import { fieldsOf, InputField } from './fields.js';
import { createViewElement, ErrorState, type View } from './view.js';
import { timeWords } from './words.js';

interface Finder<Answer, Item> {
  readonly title: string;
  readonly name: string;
  /** The member of its input for the `next` of the page before. */
  readonly cursor: string;
  readonly fields: ComponentChildren;
  readonly verb: string;
  readonly more: string;
  /** Whether a decision changes what it finds. Otherwise the list of results stays as it was found. */
  readonly isLive?: boolean;
  itemsOf(answer: Answer): readonly Item[];
  /** `isNone`: nothing fits. */
  content(items: readonly Item[], now: number, isNone: boolean): ComponentChildren;
}

interface FoundPage {
  readonly next: string | null;
  readonly reached: number | null;
}

/** The last fields of each view, so that the way back from a result leads to the same list. */
const last: Record<string, Readonly<Record<string, string>>> = {};

/** The words go in a body, never in an address. */
export function createFinder<Answer extends FoundPage, Item>({
  title,
  name,
  cursor,
  fields,
  verb,
  more,
  isLive = false,
  itemsOf,
  content,
}: Finder<Answer, Item>): View {
  let found: readonly Item[] = [];
  let next: string | null = null;
  let reached: number | null = null;
  let error: unknown;
  let now = 0;
  let wasRead = false;
  const callLast = createLastCall<Answer>();

  const { element, draw } = createViewElement(title, () => (
    <>
      <form class="search" role="search" onSubmit={submit}>
        {fields}
        <button type="submit" class="primary">
          {verb}
        </button>
      </form>
      <div class="card">
        <div>{error !== undefined && <ErrorState error={error} again={() => void read()} />}</div>
        {content(found, now, wasRead && error === undefined && found.length === 0 && next === null)}
        <p class="more" hidden={next === null || reached === null}>
          {reached !== null && `Looked back to ${timeWords(reached, now)}.`}
        </p>
        <Button class="quiet" words={more} hidden={next === null} onClick={() => void read()} />
      </div>
    </>
  ));

  async function read(isAnew = false): Promise<void> {
    if (isAnew) next = null;
    const isFirst = next === null;
    const { from, to, ...given } = Object.fromEntries(Object.entries(last[name] ?? {}).filter(([, value]) => value));
    try {
      const answer = await callLast(name, { ...given, from: timeOf(from), to: timeOf(to), [cursor]: next });
      if (!answer) return;
      found = [...(isFirst ? [] : found), ...itemsOf(answer)];
      ({ next, reached } = answer);
      [now, error] = [Date.now(), undefined];
    } catch (thrown) {
      error = thrown;
    }
    wasRead = true;
    draw();
    if (error === undefined) announce(`${found.length} found`);
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    last[name] = Object.fromEntries([...fieldsOf(event)].map(([field, value]) => [field, String(value)]));
    // A result for other words does not stand below an error.
    found = [];
    await read(true);
  }

  draw();
  for (const input of element.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select'))
    input.value = last[name]?.[input.name] ?? '';

  return {
    element,
    isReady: true,
    async update(_, isChanged) {
      if (!wasRead || (isLive && isChanged)) await read(true);
    },
  };
}

const timeOf = (value: string | undefined): number | undefined => (value ? new Date(value).getTime() : undefined);

export const TimeFields = ({ from }: { readonly from: string }) => (
  <>
    <InputField label={from} type="datetime-local" name="from" />
    <InputField label="to" type="datetime-local" name="to" />
  </>
);
