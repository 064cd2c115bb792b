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
import type { KnowsOrigin, Origin } from "../calls/origin.ts";
import { TaggedLogger } from "../observe/log.ts";
import { cronRoute } from "../observe/metrics/request-metrics.ts";
import { beginSpan, type BegunSpan, type SpanKind } from "../observe/span.ts";
import { isTraced, newTrace, stepIn, type Trace } from "../observe/trace.ts";
import { BackgroundLifetime } from "./lifetime.ts";

/** What a context outside of requests is made for. */
export interface Occasion {
  /** What its log lines carry, such as `{ cron: "digest" }`. */
  readonly tags: Readonly<Record<string, string>>;
  readonly id: string;
  readonly signal: AbortSignal;
  /** When the signal aborts, on the clock of `performance.now`; absent where that is not known. */
  readonly deadline?: number;
  /** The lease that its transactions rely on. */
  readonly fence?: Fence;
  /** The service whose work it is; absent where that is none that others know. */
  readonly service?: string;
  /** What it is as a step of a trace; absent where it has none of its own. */
  readonly step?: SpanKind;
  /** The `traceparent` of what it goes on with. */
  readonly traceparent?: string | undefined;
}

/** The context of a worker, subscriber, cron, job or singleton: nobody's request. */
export class BackgroundContext extends DetachedContext implements Context, KnowsOrigin {
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
  readonly #span: BegunSpan | undefined;

  constructor(app: BackgroundPorts, occasion: Occasion) {
    super();
    const { tags, id, signal, deadline, fence, service = "", step } = occasion;
    const around = stepIn(occasion.traceparent) ?? newTrace(app.spans !== undefined);
    this.app = app;
    this.#span = step && beginSpan(app.spans, around, step);
    this.trace = this.#span?.trace ?? around;
    this.log = new TaggedLogger(app.log, isTraced(app) ? { ...tags, trace: this.trace.id } : tags);
    this.deadline = deadline;
    this.signal = signal;
    this.lifetime = new BackgroundLifetime(signal);
    this.requestId = id;
    this.fence = fence;
    this.#service = service;
  }

  get host(): Host {
    return this.app.host;
  }

  user(): User {
    throw new Fault("ctx.user() was called where nobody is signed in: background work acts for nobody");
  }

  maybeUser(): undefined {
    return undefined;
  }

  /** Tells its step of the trace, once. */
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

/** The context of a delivery, and of a task where the delivery is of one: its log lines say what works on what. */
export function deliveryContext(
  app: BackgroundPorts,
  { kind, delivery: policy, service, source, variable }: BundledConsumer,
  { id, signal, destination, attempt, traceparent }: Delivery,
  { task, tasks }: Pick<Task, "task" | "tasks"> = { task: 0, tasks: 1 },
): BackgroundContext {
  const from = sourceText(destination);
  const tags: Occasion["tags"] =
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
  return new BackgroundContext(app, { tags, id, signal, deadline, service, step, traceparent });
}

/** `queue:emails`, `topic:order-placed`, `bucket.uploaded:photos`. */
function sourceText({ kind, name }: Destination): string {
  return kind === "event" ? name : `${kind}:${name}`;
}
