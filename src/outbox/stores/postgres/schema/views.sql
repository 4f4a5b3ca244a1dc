-- For dashboards: a row for each account, with SQL timestamps and without personal data. Columns have only types of
-- PostgreSQL itself: a table that is copied from the view still works when the schema is dropped.
CREATE VIEW schema.stats AS
SELECT known.account,
  coalesce(open.waiting, 0) AS waiting,
  coalesce(open.blocked, 0) AS blocked,
  coalesce(open.in_flight, 0) AS in_flight,
  coalesce(open.quarantined, 0) AS quarantined,
  coalesce(ended.recorded, 0) AS recorded,
  coalesce(ended.dismissed, 0) AS dismissed,
  coalesce(ended.attempts, 0) AS attempts,
  to_timestamp(oldest.enqueued_at / 1000.0) AS oldest_open_at,
  greatest(0, extract(epoch FROM clock_timestamp()) - oldest.enqueued_at / 1000.0)::double precision
    AS oldest_open_seconds,
  (SELECT count(*) FROM schema.unlogged AS u JOIN schema.reports AS r ON r.sequence = u.sequence
    WHERE r.account = known.account) AS without_receipt
FROM (SELECT account FROM schema.destinations UNION SELECT account FROM schema.queue) AS known
LEFT JOIN (
  SELECT account,
    count(*) FILTER (WHERE state = 'waiting' AND NOT blocked) AS waiting,
    count(*) FILTER (WHERE state = 'waiting' AND blocked) AS blocked,
    count(*) FILTER (WHERE state = 'in-flight') AS in_flight,
    count(*) FILTER (WHERE state = 'quarantined') AS quarantined,
    min(sequence) FILTER (WHERE state <> 'quarantined') AS oldest
  FROM schema.queue GROUP BY account
) AS open ON open.account = known.account
LEFT JOIN (
  SELECT account, sum(recorded)::bigint AS recorded, sum(dismissed)::bigint AS dismissed,
    sum(attempts)::bigint AS attempts
  FROM schema.tally GROUP BY account
) AS ended ON ended.account = known.account
LEFT JOIN schema.reports AS oldest ON oldest.sequence = open.oldest;

CREATE VIEW schema.paused AS
SELECT d.account, d.environment, p.operation, d.gateway, p.reason, p.message, p.strikes::integer,
  to_timestamp(p.tried_at / 1000.0) AS tried_at, to_timestamp(p.since / 1000.0) AS since, to_timestamp(p.until / 1000.0) AS until
FROM schema.destinations AS d JOIN (
  SELECT account, environment, NULL AS operation, reason, message, tried_at, since, strikes, until
  FROM schema.destinations
  UNION ALL SELECT account, environment, operation, reason, message, tried_at, since, strikes, until FROM schema.breakers
) AS p ON p.account = d.account AND p.environment = d.environment WHERE p.reason IS NOT NULL;
