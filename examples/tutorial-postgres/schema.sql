-- The operator's own tables.
CREATE TABLE players (
  id text PRIMARY KEY, bet_user jsonb NOT NULL
);
CREATE TABLE bets (
  id text PRIMARY KEY, player text NOT NULL REFERENCES players,
  key text NOT NULL, placed_at timestamptz NOT NULL DEFAULT now(),
  stake numeric NOT NULL, payout numeric, UNIQUE (player, key)
);
