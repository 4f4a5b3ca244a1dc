import { type Child, make } from '../kit/dom.js';
import type { Tone } from '../kit/mark.js';
import type { LifeEvent, ShownProblem } from '../outbox/console/report-life.js';
import { duration, timeWords } from './words.js';

/** How an event of a report's life looks. */
export function toneOf(event: LifeEvent): Tone {
  switch (event.kind) {
    case 'enqueued':
    case 'decided':
      return 'repeat';
    case 'in-flight':
    case 'doubt':
    case 'paused':
      return 'doubt';
    case 'attempt':
    case 'quarantined':
      return 'bad';
    case 'receipt':
      return 'ok';
    case 'ended':
      return event.state === 'recorded' ? 'ok' : 'repeat';
  }
}

const VERDICTS = { retry: 'decided: send it again', recorded: 'declared it recorded', dismissed: 'dismissed it' } as const;

function wordsOf(event: LifeEvent): string {
  switch (event.kind) {
    case 'enqueued':
      return 'Enqueued';
    case 'attempt':
      return 'An attempt failed';
    case 'in-flight':
      return 'A worker has it';
    case 'doubt':
      return 'In doubt: the gateway may hold it';
    case 'paused':
      return 'Its destination is paused';
    case 'decided':
      return `${event.who ?? 'A program'} ${VERDICTS[event.action]}`;
    case 'quarantined':
      return 'Needs a person';
    case 'ended':
      return event.state === 'recorded' ? 'Recorded' : 'Dismissed';
    case 'receipt':
      return event.index === null ? 'Its receipt follows' : `Entry ${event.index} in the log of receipts`;
  }
}

function moreOf(event: LifeEvent, now: number): Child[] {
  switch (event.kind) {
    case 'attempt':
      return problemOf(event.problem);
    case 'in-flight':
      return [event.until > now && make('p', { class: 'dim' }, `Another worker may take it in ${duration(event.until - now)}.`)];
    case 'paused':
      return [make('p', {}, event.pause.message ?? event.pause.reason)];
    case 'decided':
      return [
        event.reason !== '' && make('p', {}, event.reason),
        event.undone && make('p', { class: 'note' }, `Undone by ${event.undone.who}, ${timeWords(event.undone.at, now)}: ${event.undone.reason}`),
      ];
    case 'ended':
      return [event.requestId !== null && make('p', { class: 'mono' }, event.requestId)];
    case 'receipt':
      return [event.hash !== null && make('p', { class: 'mono' }, event.hash)];
    default:
      return [];
  }
}

function problemOf({ code, message, status, requestId, details }: ShownProblem): Child[] {
  return [
    make('p', {}, message),
    make('p', { class: 'dim' }, [code, status !== null && `HTTP ${status}`, requestId !== null && `request ${requestId}`].filter(Boolean).join(', ')),
    details !== null && make('pre', {}, details),
  ];
}

export const eventContent = (event: LifeEvent, now: number): HTMLElement[] => [
  make('div', { class: 'event' }, make('b', {}, wordsOf(event)), make('time', {}, event.at === null ? '' : timeWords(event.at, now))),
  make('div', { class: 'event-more' }, ...moreOf(event, now)),
];
