import type { Context, Logger } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { Host } from "../../declare/host.ts";
import type { User } from "../../declare/user.ts";
import type { Fence } from "../../platform/contract.ts";
import type { Lifetime } from "../../platform/lifetime.ts";
import type { Delivery, Destination } from "../../platform/messages.ts";
import type { Task } from "../../platform/task.ts";
import type { BackgroundPorts } from "../application.ts";
import type { BundledConsumer } from "../bundle.ts";
import { DetachedContext } from "../context.ts";
import type { HasOrigin, Origin } from "../calls/origin.ts";
import { TaggedLogger } from "../observe/log.ts";
import { cronRoute } from "../observe/metrics/meter.ts";
import { beginSpan, type ActiveSpan, type SpanKind } from "../observe/span.ts";
import { isFollowed, newTrace, parseTraceparent, type Trace } from "../observe/trace.ts";
import { DeadlinePassed, DeliveryLost } from "../../platform/deadline.ts";

export interface BackgroundContextParts {
  /** Tags for the context's log lines, such as `{ cron: "digest" }`. */
  readonly tags: Readonly<Record<string, string>>;
  readonly id: string;
  readonly signal: AbortSignal;
  /** Ends the lifetime of the context; by default, `signal` does. */
  readonly ending?: AbortSignal | undefined;
  /** The time at which the signal aborts, on the clock of `performance.now`; absent if unknown. */
  readonly deadline?: number;
  /** The lease that fences the context's transactions. */
  readonly fence?: Fence;
  /** The service that does the work; absent if there is only one service. */
  readonly service?: string;
  readonly step?: SpanKind;
  /** The `traceparent` of the operation that caused the work. */
  readonly traceparent?: string | undefined;
}

/** The context of a worker, subscriber, cron, job or singleton. It has no request and no user. */
export class BackgroundContext extends DetachedContext implements Context, HasOrigin {
  readonly app: BackgroundPorts;
  readonly log: Logger;
  readonly origin: string = "";
  readonly signal: AbortSignal;
  readonly lifetime: Lifetime;
  readonly requestId: string;
  readonly deadline: number | undefined;
  readonly fence: Fence | undefined;
  readonly trace: Trace;
  readonly #service: string;
  readonly #span: ActiveSpan | undefined;

  constructor(app: BackgroundPorts, parts: BackgroundContextParts) {
    super();
    const { tags, id, signal, deadline, fence, service = "", step } = parts;
    const parent = parseTraceparent(parts.traceparent) ?? newTrace(app.spans !== undefined);
    this.app = app;
    this.#span = step && beginSpan(app.spans, parent, step);
    this.trace = this.#span?.trace ?? parent;
    this.log = new TaggedLogger(app.log, isFollowed(app) ? { ...tags, trace: this.trace.id } : tags);
    this.deadline = deadline;
    this.signal = signal;
    this.lifetime = new BackgroundLifetime(parts.ending ?? signal);
    this.requestId = id;
    this.fence = fence;
    this.#service = service;
  }

  get host(): Host {
    return this.app.host;
  }

  user(): User {
    throw new Fault(
      "ctx.user() was called in background work, which acts for no user: pass the user's id in the message or arguments",
    );
  }

  maybeUser(): undefined {
    return undefined;
  }

  /** Ends the context's span once. Later calls are no-ops. */
  end(failed: boolean): void {
    this.#span?.end(failed);
  }

  callOrigin(): Origin {
    const { trace, deadline } = this;
    return { service: this.#service, trace, claim: undefined, deadline, htmx: undefined };
  }

  /** Keeps the application out of a logged context. */
  toJSON(): object {
    return { requestId: this.requestId };
  }
}

/**
 * Creates the context of a delivery or of the task in it. Its log lines name the handler and the source, or the job.
 */
export function deliveryContext(
  app: BackgroundPorts,
  { kind, delivery: policy, service, source, variable }: BundledConsumer,
  { id, signal, destination, attempt, traceparent, ending }: Delivery & Pick<BackgroundContextParts, "ending">,
  { task, tasks }: Pick<Task, "task" | "tasks"> = { task: 0, tasks: 1 },
): BackgroundContext {
  const from = sourceText(destination);
  const tags: BackgroundContextParts["tags"] =
    kind === "runner"
      ? { job: source.name, ...(tasks > 1 ? { task: String(task) } : {}) }
      : { handler: variable, source: from };
  const step: SpanKind = {
    kind: "consumer",
    name: destination.kind === "job" ? cronRoute(destination.name) : `${service} ${from}`,
    attributes: {
      "messaging.destination.name": from,
      "messaging.message.id": id,
      "messaging.operation.type": "process",
      "fw.attempt": attempt,
    },
  };
  const deadline = performance.now() + policy.deadline;
  return new BackgroundContext(app, { tags, id, signal, ending, deadline, service, step, traceparent });
}

/** Formats a source: `queue:emails`, `topic:order-placed`, `bucket.uploaded:photos`. */
function sourceText({ kind, name }: Destination): string {
  return kind === "event" ? name : `${kind}:${name}`;
}

/**
 * The lifetime of background work, which lasts until its deadline or until another process may do the work. After a
 * request to stop, the work may still finish.
 */
class BackgroundLifetime implements Lifetime {
  readonly #stopping: AbortSignal;
  #ended: AbortController | undefined = undefined;

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  get isOver(): boolean {
    const { aborted, reason } = this.#stopping;
    return aborted && (reason instanceof DeadlinePassed || reason instanceof DeliveryLost);
  }

  get signal(): AbortSignal {
    return (this.#ended ?? this.#open()).signal;
  }

  #open(): AbortController {
    const controller = (this.#ended = new AbortController());
    const end = (): void => {
      if (this.isOver) controller.abort(this.#stopping.reason);
    };
    end();
    this.#stopping.addEventListener("abort", end, { once: true });
    return controller;
  }
}
