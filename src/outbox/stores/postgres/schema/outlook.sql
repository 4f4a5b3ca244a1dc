-- The outlook of each destination, as readOutlook takes it. It reads only both ends of the index of claims.
CREATE FUNCTION schema.outlook(of_accounts json) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $outlook$
DECLARE
  now_ms bigint := NOW_MS;
BEGIN
  RETURN (
    SELECT json_agg(json_build_object(
      'account', p.account, 'environment', p.environment, 'gateway', p.gateway, 'rebound', p.rebound,
      'pause', json_build_object('version', p.version, 'reason', p.reason, 'message', p.message,
        'tried_at', p.tried_at, 'since', p.since, 'strikes', p.strikes, 'until', p.until),
      'rate', json_build_object('rate', p.rate, 'rate_span', p.rate_span, 'rate_since', p.rate_since),
      'now', now_ms,
      'breakers', (SELECT json_agg(b) FROM schema.breakers AS b
        WHERE b.account = p.account AND b.environment = p.environment),
      'first', (SELECT q.due_at FROM schema.queue AS q
        WHERE q.account = p.account AND q.environment = p.environment AND NOT q.parked AND q.state <> 'quarantined'
        ORDER BY q.due_at LIMIT 1),
      'last', (SELECT q.due_at FROM schema.queue AS q
        WHERE q.account = p.account AND q.environment = p.environment AND NOT q.parked AND q.state <> 'quarantined'
        ORDER BY q.due_at DESC LIMIT 1)))
    FROM schema.destinations AS p
    WHERE of_accounts IS NULL OR p.account IN (SELECT json_array_elements_text(of_accounts)))::text;
END $outlook$;
