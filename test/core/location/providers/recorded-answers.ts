import { readFileSync } from 'node:fs';
import type { FetchResponse } from '../../../../src/core/platform/web-types.js';
import { json } from '../../../support/recording-fetch.js';

interface RecordedAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

export type Service = 'geojs' | 'ipapi-co' | 'freeipapi' | 'ipinfo';

/** The answer of a lookup service in a situation: the shapes are the services', the values invented. */
export function recorded(service: Service, situation: string): RecordedAnswer {
  const answers: Record<string, RecordedAnswer> = JSON.parse(
    readFileSync(`test/core/location/providers/answers/${service}.json`, 'utf8'),
  );
  const answer = answers[situation];
  if (!answer) throw new Error(`answers/${service}.json has no ${situation}`);
  return answer;
}

/** Only the body, for tests that change it. */
export const recordedBody = (service: Service, situation: string) =>
  recorded(service, situation).body as Record<string, unknown>;

/** The answer in the form of `fetch`. */
export function replay(service: Service, situation: string): FetchResponse {
  const { status, headers, body } = recorded(service, situation);
  return json(body, status, headers);
}
