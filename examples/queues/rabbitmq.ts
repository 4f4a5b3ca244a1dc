// A consumer of RabbitMQ, with amqplib. prefetch bounds the unconfirmed messages; those that come together share commits.
import type { Outbox } from 'location-sdk/outbox';
import { take } from './take.js';

interface Message {
  content: { toString(): string };
}
interface Channel {
  prefetch(count: number): Promise<unknown>;
  consume(queue: string, handler: (message: Message | null) => void): Promise<unknown>;
  ack(message: Message): void;
  nack(message: Message, allUpTo: boolean, requeue: boolean): void;
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function consume(channel: Channel, queue: string, outbox: Outbox): Promise<void> {
  const handle = async (message: Message) => {
    try {
      const [refused] = await take(outbox, [message.content.toString()]);
      if (refused === undefined) channel.ack(message);
      else channel.nack(message, false, false); // to the dead letters
    } catch {
      await wait(1_000); // a transient failure: retry slowly
      channel.nack(message, false, true);
    }
  };
  await channel.prefetch(100);
  await channel.consume(queue, (message) => {
    // if the channel is closed, the broker brings the message again
    if (message) handle(message).catch(() => {});
  });
}
