import type { CallSigner } from "../platform/call-signer.ts";
import type { Delivery } from "../platform/messages.ts";
import { listening, type ProcessOf } from "./listening.ts";

/** What a service has answered the platform. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls the services for the platform. */
export class PlatformCaller {
  readonly #signer: CallSigner;
  readonly #processOf: ProcessOf;

  constructor(signer: CallSigner, processOf: ProcessOf) {
    this.#signer = signer;
    this.#processOf = processOf;
  }

  /** Pushes a message to its consumer. Rejects unless it was acknowledged. */
  async push({ consumer, id, body, attempt, sent, signal }: Delivery): Promise<void> {
    const message = { data: Buffer.from(body).toString("base64"), messageId: id, publishTime: sent.toISOString() };
    const envelope = { message, subscription: consumer, deliveryAttempt: attempt };
    const { status } = await this.post(consumer, "api/push", JSON.stringify(envelope), signal);
    if (status >= 300) throw new Error(`${consumer} answered ${status}; its log says why`);
  }

  /** Posts to a path of a service below `/_fw/`, when it listens. */
  async post(service: string, path: string, body: string, signal: AbortSignal): Promise<ServiceAnswer> {
    const process = await listening(service, this.#processOf);
    if (process === undefined) throw new Error(`no service is named ${service}`);
    return process.use(async () => {
      const response = await fetch(`http://127.0.0.1:${process.port}/_fw/${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.#signer.tokenFor(service)}`,
          "content-type": "application/json",
        },
        body,
        signal,
      });
      return { status: response.status, text: await response.text() };
    });
  }
}
