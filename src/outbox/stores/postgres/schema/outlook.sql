-- The outlook of each destination, as it is read by destinations.ts. It reads only both ends of the index of claims.
CREATE FUNCTION schema.outlook(of_accounts json) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $outlook$
DECLARE
  now_ms bigint := NOW_MS;
BEGIN
  RETURN (
    SELECT json_agg(json_build_object('destination', p, 'now', now_ms,
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
