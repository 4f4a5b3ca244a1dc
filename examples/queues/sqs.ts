// A consumer of SQS, with @aws-sdk/client-sqs: the two functions of Queue stand for its commands.
import type { Outbox } from 'location-sdk/outbox';
import { take } from './take.js';

interface Message {
  Body?: string;
  ReceiptHandle?: string;
}
interface Queue {
  /** ReceiveMessageCommand: MaxNumberOfMessages 10, WaitTimeSeconds 20. */
  receive(): Promise<Message[]>;
  /** DeleteMessageBatchCommand. */
  remove(handles: string[]): Promise<unknown>;
}

export async function consume(
  queue: Queue,
  outbox: Outbox,
  signal: { readonly aborted: boolean },
  log: (text: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const messages = await queue.receive();
      const refused = await take(
        outbox,
        messages.map(({ Body = '' }) => Body),
      );
      for (const reason of refused) if (reason !== undefined) log(reason);
      const done = messages.flatMap(({ ReceiptHandle }, index) =>
        refused[index] === undefined && ReceiptHandle ? [ReceiptHandle] : [],
      );
      if (done.length > 0) await queue.remove(done);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      log(`the batch comes again: ${name}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}
