import { BY_INDEX, NOW_MS } from './function-parts.js';
import { queued } from './tables.js';

/** The outlook of each destination. It reads only both ends of the index. */
export const outlook = (schema: string): string => `
  CREATE FUNCTION ${schema}.outlook(of_accounts json) RETURNS text LANGUAGE plpgsql ${BY_INDEX} AS $outlook$
  DECLARE
    now_ms bigint := ${NOW_MS};
  BEGIN
    RETURN (
      SELECT json_agg(json_build_object('account', p.account, 'environment', p.environment, 'gateway', p.gateway, 'rebound', p.rebound, 'version', p.version, 'reason', p.reason, 'message', p.message, 'since', p.since,
        'strikes', p.strikes, 'until', p.until, 'now', now_ms,
        'first', (SELECT q.due_at FROM ${schema}.queue AS q WHERE q.account = p.account AND q.environment = p.environment AND ${queued('q')} ORDER BY q.due_at LIMIT 1),
        'last', (SELECT q.due_at FROM ${schema}.queue AS q WHERE q.account = p.account AND q.environment = p.environment AND ${queued('q')} ORDER BY q.due_at DESC LIMIT 1)))
      FROM ${schema}.destinations AS p WHERE of_accounts IS NULL OR p.account IN (SELECT json_array_elements_text(of_accounts)))::text;
  END $outlook$;
`;
