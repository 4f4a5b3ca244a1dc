import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const { OTEL_EXPORTER_OTLP_ENDPOINT } = process.env;

export const tracing = new NodeTracerProvider({
  spanProcessors: OTEL_EXPORTER_OTLP_ENDPOINT ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [],
});

// Also registers a context manager: without it spans have no parent.
tracing.register();
