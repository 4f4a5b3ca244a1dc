// The process that sends: DATABASE_URL=postgres://… node examples/two-processes/worker.js
// Start as many as you like; each report is claimed by one of them.
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { stopOnSignals } from 'location-sdk/node';
import { pool } from './database.js';
import { openOutbox } from './reporting.js';

const host = process.env.HOST ?? '127.0.0.1';
const port = Number(process.env.METRICS_PORT ?? 9464);
// Before the outbox is made: an earlier meter stays silent.
const exporter = new PrometheusExporter({ host, port });
const meters = new MeterProvider({ readers: [exporter] });
metrics.setGlobalMeterProvider(meters);

const { outbox, store } = await openOutbox({ isWorker: true });
outbox.start();
console.log(`The worker sends. Its metrics: http://${host}:${port}/metrics`);

stopOnSignals(outbox, {
  afterStop: async () => {
    await store.close?.();
    await pool.end();
    await meters.shutdown();
    console.log('The worker has stopped.');
  },
});
