-- Of a destination, and of the breaker of an operation.
version schema.counter NOT NULL DEFAULT 0,
reason text,
message text,
tried_at schema.moment NOT NULL DEFAULT 0,
since schema.moment NOT NULL DEFAULT 0,
strikes schema.counter NOT NULL DEFAULT 0,
until schema.moment NOT NULL DEFAULT 0
