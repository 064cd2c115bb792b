import type { Context, Logger } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { Host } from "../../declare/host.ts";
import type { User } from "../../declare/user.ts";
import type { Fence } from "../../platform/contract.ts";
import type { BackgroundPorts } from "../application.ts";
import { DetachedContext } from "../context.ts";
import type { KnowsOrigin, Origin } from "../calls/origin.ts";
import { TaggedLogger } from "../observe/log.ts";
import { beginSpan, type BegunSpan, type SpanKind } from "../observe/span.ts";
import { isTraced, newTrace, stepIn, type Trace } from "../observe/trace.ts";

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
