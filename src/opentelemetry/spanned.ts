import {
  type Attributes,
  context,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isReportingError } from '../core/errors/errors.js';
import { failureAttributes, subjectAttributes } from './attributes.js';
import { quietly } from './instruments.js';

export interface Seen {
  readonly attributes: Attributes;
  /** No metric has them: each report has its own values. */
  readonly onSpan?: Attributes;
  readonly failure?: string | undefined;
}

/** The work runs once and ends in the same way without the span, even if the span fails. */
export async function spanned<T>(
  tracer: Tracer | undefined,
  { name, ...options }: SpanOptions & { readonly name: string },
  work: () => Promise<T>,
  seen: (value: T) => Seen,
): Promise<T> {
  const span = quietly(() => tracer?.startSpan(name, options));
  let running: Promise<T> | undefined;
  const begin = () => (running ??= new Promise((resolve) => resolve(work())));
  if (span) quietly(() => context.with(trace.setSpan(context.active(), span), begin));
  try {
    const value = await begin();
    quietly(() => {
      const { attributes, onSpan, failure: message } = seen(value);
      span?.setAttributes({ ...attributes, ...onSpan });
      if (message !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR, message });
    });
    return value;
  } catch (error) {
    quietly(() => fail(span, error));
    throw error;
  } finally {
    quietly(() => span?.end());
  }
}

function fail(span: Span | undefined, error: unknown): void {
  span?.setAttributes({ ...failureAttributes(error), ...subjectAttributes(error) });
  span?.setStatus({ code: SpanStatusCode.ERROR, ...(isReportingError(error) && { message: error.message }) });
}
