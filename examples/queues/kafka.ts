// A consumer of Kafka, with kafkajs; other clients have the same parts. It resolves the offset of enqueued messages, and
// no further.
import type { Outbox } from 'location-sdk/outbox';
import { take } from './take.js';

interface Message {
  offset: string;
  key: unknown;
  value: { toString(): string } | null;
}
interface Batch {
  batch: { topic: string; partition: number; messages: Message[] };
  resolveOffset(offset: string): void;
  heartbeat(): Promise<void>;
}
interface Consumer {
  run(config: { eachBatchAutoResolve: boolean; eachBatch(batch: Batch): Promise<void> }): Promise<void>;
}
interface Refused extends Omit<Message, 'offset'> {
  headers: Record<string, string>;
}
interface Producer {
  send(record: { topic: string; messages: Refused[] }): Promise<unknown>;
}

const AT_ONCE = 500;

export const consume = (consumer: Consumer, producer: Producer, outbox: Outbox) =>
  consumer.run({
    eachBatchAutoResolve: false, // we resolve the offsets
    eachBatch: async ({ batch, resolveOffset, heartbeat }) => {
      for (let from = 0; from < batch.messages.length; from += AT_ONCE) {
        const messages = batch.messages.slice(from, from + AT_ONCE);
        // throws a transient failure: the batch comes again
        const refused = await take(
          outbox,
          messages.map(({ value }) => value?.toString() ?? ''),
        );
        const poison = messages.flatMap(({ key, value }, index) => {
          const reason = refused[index];
          if (reason === undefined) return [];
          return [{ key, value, headers: { reason } }];
        });
        const topic = `${batch.topic}.refused`;
        if (poison.length > 0) await producer.send({ topic, messages: poison });
        const last = messages.at(-1);
        if (last) resolveOffset(last.offset);
        await heartbeat();
      }
    },
  });
