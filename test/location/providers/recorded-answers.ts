import { readFileSync } from 'node:fs';
import type { FetchResponse } from '../../../src/entries/index.js';
import { json } from '../../support/recording-fetch.js';

interface RecordedAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

export type Service = 'geojs' | 'ipapi-co' | 'freeipapi' | 'ipinfo' | 'ipinfo-legacy';

/** What a lookup service answers in some situation: the shapes are the services', the values made up. */
export function recorded(service: Service, situation: string): RecordedAnswer {
  const answers: Record<string, RecordedAnswer> = JSON.parse(readFileSync(`test/location/providers/answers/${service}.json`, 'utf8'));
  const answer = answers[situation];
  if (!answer) throw new Error(`answers/${service}.json has no ${situation}`);
  return answer;
}

/** The body alone, to be changed. */
export const recordedBody = (service: Service, situation: string) => recorded(service, situation).body as Record<string, unknown>;

/** The answer as `fetch` gives it. */
export function replay(service: Service, situation: string): FetchResponse {
  const { status, headers, body } = recorded(service, situation);
  return json(body, status, headers);
}
