import { mintCall } from "../platform/calls.ts";
import type { Delivery } from "../platform/messages.ts";
import { platformInvoker } from "../service/neighbours.ts";
import type { ServiceProcess } from "./process.ts";

/** Milliseconds that a token of the platform lasts. */
const tokenMs = 60_000;

/** Calls the services for the platform. */
export class PlatformCaller {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Pushes a message to its receiver. Rejects unless it was acknowledged. */
  async push(service: ServiceProcess, { id, body, attempt, sent, signal }: Delivery): Promise<void> {
    const message = { data: Buffer.from(body).toString("base64"), messageId: id, publishTime: sent.toISOString() };
    const envelope = { message, subscription: service.name, deliveryAttempt: attempt };
    await this.#post(service, "push", JSON.stringify(envelope), signal);
  }

  /** Triggers a cron. Rejects when it failed. */
  async trigger(service: ServiceProcess, cron: string, signal: AbortSignal): Promise<void> {
    await this.#post(service, `cron/${encodeURIComponent(cron)}`, "", signal);
  }

  async #post(service: ServiceProcess, path: string, body: string, signal: AbortSignal): Promise<void> {
    await service.ready;
    const token = mintCall(this.#key, { audience: service.name, invoker: platformInvoker }, Date.now() + tokenMs);
    const response = await fetch(`http://127.0.0.1:${service.port}/_fw/api/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body,
      signal,
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${service.name} answered ${response.status}`);
  }
}
