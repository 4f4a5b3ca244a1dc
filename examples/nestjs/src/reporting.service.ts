import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { createClient } from 'location-sdk';
import { instrumentClient, instrumentOutbox } from 'location-sdk/opentelemetry';
import { createOutbox, type Outbox, type OutboxStore } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { tracing } from './telemetry.js';

/** The database and the outbox of this instance, for the lifetime of the module. */
@Injectable()
export class Reporting implements OnModuleInit, OnApplicationShutdown {
  readonly pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: 15_000,
    keepAlive: true,
  });
  private started: { readonly outbox: Outbox; readonly store: OutboxStore } | undefined;

  get outbox(): Outbox {
    if (!this.started) throw new Error('the module has not been initialised');
    return this.started.outbox;
  }

  async onModuleInit(): Promise<void> {
    // Without both listeners a connection that breaks ends the process.
    this.pool.on('error', (error) => console.warn('an idle connection was lost:', error.message));
    this.pool.on('connect', (client) => void client.on('error', () => {}));
    // Use your migrations instead.
    await this.pool.query(`
      CREATE TABLE IF NOT EXISTS bets (
        id text PRIMARY KEY, player text NOT NULL, key text NOT NULL, stake numeric NOT NULL, UNIQUE (player, key)
      )`);
    const store = await postgresStore({ database: this.pool, listen: () => this.pool.connect() });
    // Address and key come from the environment: LOCATION_SDK_STAGING_BASE_URL and the others, or LOCATION_SDK_MOCK.
    const outbox = instrumentOutbox(createOutbox({ client: instrumentClient(createClient()), store }));
    outbox.start();
    this.started = { outbox, store };
  }

  /** Nest has already closed the server: no request is left that could enqueue. */
  async onApplicationShutdown(): Promise<void> {
    await this.started?.outbox.stop({ timeoutMs: 20_000 });
    await this.started?.store.close?.();
    await this.pool.end();
    await tracing.shutdown();
    console.log('stopped');
  }
}
