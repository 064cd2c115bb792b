import { deliveryStopMs } from "../lib/limits.ts";
import { post } from "../lib/post.ts";
import { recordIn } from "../lib/record-in.ts";
import type { CallSigner } from "../platform/call-signer.ts";
import { DeliveryLost, DeliveryReturned } from "../platform/deadline.ts";
import { messageNames } from "../platform/message-names.ts";
import { misfitStatus, MisfitMessage } from "../platform/misfit.ts";
import type { Delivery } from "../platform/messages.ts";
import { listening, restartMs, type ListeningPool, type PoolOf, type WaitSignal } from "./listening.ts";

/** A service's response to a request from the platform. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
}

/** Thrown if no process of a service can respond. */
export class ServiceDown extends Error {}

interface PlatformCallerOptions {
  readonly signer: CallSigner;
  readonly poolOf: PoolOf;
  /** Aborts posts that have no signal of their own. */
  readonly stopping: AbortSignal;
}

export interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether to wait while a service restarts; true by default. */
  readonly waits?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown for a service that only other machines run. */
export class ServiceElsewhere extends Error {
  constructor(service: string) {
    super(`this machine does not run the service ${service}: use one that does`);
  }
}

export class PlatformCaller {
  readonly #options: PlatformCallerOptions;

  constructor(options: PlatformCallerOptions) {
    this.#options = options;
  }

  /**
   * Pushes a message to its consumer. Rejects unless the consumer acknowledges the message, with a DeliveryReturned if
   * its process is stopping.
   */
  async push({ consumer, id, body, attempt, sent, traceparent, signal }: Delivery): Promise<void> {
    const message = {
      data: Buffer.from(body).toString("base64"),
      messageId: id,
      publishTime: sent.toISOString(),
      ...(traceparent !== undefined && { attributes: { [messageNames.traceparent]: traceparent } }),
    };
    const envelope = { message, subscription: consumer, deliveryAttempt: attempt };
    const pool = await this.#listening(consumer, () => signal);
    try {
      requireAcknowledged(
        consumer,
        await this.postTo(pool, consumer, "api/push", JSON.stringify(envelope), { signal }),
      );
    } catch (error) {
      throw pool.isStopped ? new DeliveryReturned() : error;
    }
  }

  /**
   * Posts to a path below `/_fw/` of a service. Throws a ServiceDown if the service does not listen in time, and a
   * ServiceElsewhere if only other machines run it. The service itself enforces the deadline and learns of an aborted
   * `signal` by other means, so the request is aborted only after `deliveryStopMs`, or immediately if the delivery is
   * lost.
   */
  async post(service: string, path: string, body: string, options: PostOptions = {}): Promise<ServiceAnswer> {
    const { signal = this.#options.stopping, waits = true } = options;
    const wait = (): AbortSignal =>
      AbortSignal.any([signal, waits ? AbortSignal.timeout(restartMs) : AbortSignal.abort()]);
    return this.postTo(await this.#listening(service, wait), service, path, body, options);
  }

  async #listening(service: string, wait: WaitSignal): Promise<ListeningPool> {
    const { poolOf } = this.#options;
    const pool = await listening(service, poolOf, wait);
    if (poolOf(service) === undefined) throw new ServiceElsewhere(service);
    if (pool === undefined || pool.hasFailed) throw new ServiceDown(`the service ${service} is not running`);
    return pool;
  }

  /** Posts to a process of a service: a specific one or the least busy one. */
  async postTo(
    process: Pick<ListeningPool, "use">,
    service: string,
    path: string,
    body: string,
    { signal, headers }: PostOptions = {},
  ): Promise<ServiceAnswer> {
    const { signer, stopping } = this.#options;
    const late = delayedAbort(signal ?? stopping);
    try {
      return await process.use((port) =>
        post(`http://127.0.0.1:${port}/_fw/${path}`, {
          headers: {
            authorization: `Bearer ${signer.tokenFor(service)}`,
            "content-type": "application/json",
            ...headers,
          },
          body,
          signal: late.signal,
        }),
      );
    } finally {
      late.over();
    }
  }
}

function requireAcknowledged(consumer: string, { status, text }: ServiceAnswer): void {
  if (status === misfitStatus) throw new MisfitMessage(reasonIn(text) ?? `${consumer} does not accept its type`);
  if (status >= 300) throw new Error(reasonIn(text) ?? `${consumer} responded with ${status}; see its log`);
}

function delayedAbort(signal: AbortSignal): { readonly signal: AbortSignal; over(): void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const aborted = (): void => {
    const milliseconds = signal.reason instanceof DeliveryLost ? 0 : deliveryStopMs;
    timer = setTimeout(() => late.abort(signal.reason), milliseconds);
  };
  if (signal.aborted) late.abort(signal.reason);
  else signal.addEventListener("abort", aborted, { once: true });
  return {
    signal: late.signal,
    over: () => {
      signal.removeEventListener("abort", aborted);
      clearTimeout(timer);
    },
  };
}

/** Extracts the error of a delivery from the service's response; undefined if it names none. */
function reasonIn(text: string): string | undefined {
  const { error } = recordIn(text) ?? {};
  return typeof error === "string" ? error : undefined;
}
