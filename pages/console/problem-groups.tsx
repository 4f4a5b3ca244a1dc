import type { Groups, ProblemGroup } from '../../src/operator/groups.js';
import type { OutboxEnvironment } from '../../src/outbox/rules/destination.js';
import type { ProblemKey } from '../../src/outbox/store/operator-store.js';
import { ButtonList, focusRow, type Item, Row } from '../kit/list.js';
import { Button, EmptyState } from '../kit/parts.js';
import { counted, grouped } from '../kit/words.js';
import { groupHash } from './addresses.js';
import { call } from './calls.js';
import { createLatestDecisions } from './decisions.js';
import { type Reason, Reasons, reasonsOf } from './reasons.js';
import { type ConsolePage, createViewElement, type View } from './view.js';
import { placeWords, problemWords, timeWords } from './words.js';

export const keyOf = ({ account, environment, code, words }: ProblemKey): string =>
  JSON.stringify([account, environment, code, words]);

/** Undefined if the text is not a key: the server checks the parts. */
export function groupFrom(text: string): ProblemKey | undefined {
  try {
    const [account, environment, code, words] = JSON.parse(text) as [string, OutboxEnvironment, string, string];
    return { account, environment, code, words };
  } catch {
    return undefined;
  }
}

/** Groups keep their order until the person asks for the new ones. */
export function createPerson(page: ConsolePage): View {
  let latest: Groups | undefined;
  let shown = new Map<string, ProblemGroup>();
  let stops: Reason[] = [];
  let now = 0;

  const { element, draw } = createViewElement('Needs a person', content);
  const decisions = createLatestDecisions(page, draw);

  function content() {
    if (!latest) return null;
    const { groups, others } = latest;
    const fresh = groups.filter((group) => !shown.has(keyOf(group))).length;
    const sum = groups.reduce((all, { count }) => all + count, 0) + others.reports;
    return (
      <>
        <Reasons page={page} present={stops} now={now} />
        <div class="fresh">
          <span class="dim">
            {sum > 0 && `${counted(sum, 'report')} in ${counted(groups.length + others.groups, 'group')}`}
          </span>
          <Button class="quiet" words={`${fresh} new: show`} hidden={fresh === 0} onClick={showNew} />
        </div>
        <div class="card">
          {shown.size === 0 && (
            <EmptyState title="No report needs a decision">
              <p>A report comes here when the gateway refuses it in a way that only a person can decide.</p>
            </EmptyState>
          )}
          <ButtonList
            class="list groups"
            items={[...shown].map(([key, group]) => itemOf(key, group, now))}
            onSelect={(key) => page.go(groupHash(key))}
          />
          <p class="more" hidden={others.groups === 0}>
            {`And ${counted(others.reports, 'report')} in ${counted(others.groups, 'smaller group')}: decide the larger ones first.`}
          </p>
        </div>
        {decisions.content()}
      </>
    );
  }

  function showNew(): void {
    shown = mapOf(latest?.groups ?? []);
    draw();
    focusRow(element.querySelector('.groups'));
  }

  return {
    element,
    async update(overview, isChanged) {
      // Reasons that may end by themselves are on the overview alone.
      stops = reasonsOf(overview).filter(({ tone }) => tone === 'bad');
      latest = await call<Groups>('groups');
      now = latest.now;
      const present = mapOf(latest.groups);
      if (shown.size === 0) shown = present;
      // A group that is decided keeps its place, and says so.
      for (const [key, group] of shown) shown.set(key, present.get(key) ?? { ...group, count: 0 });
      draw();
      if (isChanged) await decisions.load();
    },
  };
}

const mapOf = (groups: readonly ProblemGroup[]) => new Map(groups.map((group) => [keyOf(group), group]));

function itemOf(key: string, group: ProblemGroup, now: number): Item {
  const { code, words, status, count, firstAt, lastAt, example } = group;
  const [first, last] = [timeWords(firstAt, now), timeWords(lastAt, now)];
  const content = (
    <Row
      tone={count === 0 ? 'ok' : 'bad'}
      title={words.replace(/^.*? The gateway said: /, '') || code}
      end={<b class="many">{count === 0 ? 'none left' : grouped(count)}</b>}
    >
      <span class="bad">{problemWords(code, status)}</span>
      <span>{first === last ? first : `${first} to ${last}`}</span>
      <span>{`such as ${example.reference}`}</span>
      <span class="tag">{placeWords(group)}</span>
    </Row>
  );
  return { key, content };
}
