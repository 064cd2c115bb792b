import type { CallSigner } from "../platform/call-signer.ts";
import type { Delivery } from "../platform/messages.ts";
import type { ServiceProcess } from "./process.ts";

/** What a service has answered the platform. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls the services for the platform. */
export class PlatformCaller {
  readonly #signer: CallSigner;
  readonly #process: (service: string) => ServiceProcess | undefined;

  constructor(signer: CallSigner, process: (service: string) => ServiceProcess | undefined) {
    this.#signer = signer;
    this.#process = process;
  }

  /** Pushes a message to its receiver. Rejects unless it was acknowledged. */
  async push({ receiver, id, body, attempt, sent, signal }: Delivery): Promise<void> {
    const message = { data: Buffer.from(body).toString("base64"), messageId: id, publishTime: sent.toISOString() };
    const envelope = { message, subscription: receiver, deliveryAttempt: attempt };
    const { status } = await this.post(receiver, "api/push", JSON.stringify(envelope), signal);
    if (status >= 300) throw new Error(`${receiver} answered ${status}`);
  }

  /** Posts to a path of a service below `/_fw/`, when it listens. */
  async post(service: string, path: string, body: string, signal: AbortSignal): Promise<ServiceAnswer> {
    const process = this.#process(service);
    if (process === undefined) throw new Error(`no service is named ${service}`);
    return process.use(async () => {
      await process.ready;
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
