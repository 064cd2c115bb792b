import { param, type Api, type Call, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { durationOf } from "../durations.ts";
import { invalid, Refusal } from "../errors.ts";
import { changeOf } from "../fields.ts";
import { policyMethods } from "../iam/methods.ts";
import { actAs, methodsOf, namedIn, nameOf, type ResourceKind } from "../methods.ts";
import { inPages } from "../pages.ts";
import { TaskQueue, type OidcToken, type QueueConfig, type Task } from "./queue.ts";

const host = "cloudtasks.googleapis.com";

/** How long the name of a deleted queue is not given again, in milliseconds: up to three days. */
const queueTombstone = 3 * 86_400_000;

/** How long the name of a task that is gone is not given again. */
const taskTombstone = 3_600_000;

/** Cloud Tasks: queues, and tasks that are sent as HTTP requests. */
export class CloudTasks {
  readonly queues: Map<string, TaskQueue> = new Map();
  readonly api: Api;
  readonly #cloud: Cloud;
  readonly #deleted = new Map<string, number>();

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
    this.api = { host, methods: { ...this.#queueMethods(), ...this.#taskMethods() } };
  }

  #queueMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "cloudtasks.projects.locations.queues",
      permissions: "cloudtasks.queues",
      on: namedIn(host),
    };
    const actAsSender = (call: Call): Needed[] => this.#actAs((call.body as QueueConfig).httpTarget?.oidcToken);
    return {
      ...methodsOf(kind, {
        create: {
          needs: actAsSender,
          run: (call) => {
            const config = call.body as QueueConfig;
            const { name } = config;
            const id = new RegExp(`^${param(call, "parent")}/queues/([A-Za-z0-9-]{1,100})$`).exec(name ?? "");
            if (!id) throw invalid(`Invalid resource field value in the request: "${name}".`);
            if (this.queues.has(name)) throw new Refusal("ALREADY_EXISTS", "Queue already exists");
            checkConfig(config);
            // What Cloud Tasks answers for a name that was deleted before looks like any other queue; it is not there.
            const isTombstone = (this.#deleted.get(name) ?? 0) > this.#cloud.clock.now();
            const queue = new TaskQueue(this.#cloud, config);
            if (!isTombstone) this.queues.set(name, queue);
            return queue.json();
          },
        },
        get: (call) => this.#queue(call).json(),
        list: (call) => inPages(call, { queues: [...this.queues.values()].map((queue) => queue.json()) }),
        patch: {
          needs: actAsSender,
          run: (call) => {
            const queue = this.#queue(call);
            const changed = { ...queue.config, ...changeOf(call) };
            checkConfig(changed);
            queue.config = changed;
            return queue.json();
          },
        },
        delete: (call) => {
          const queue = this.#queue(call);
          queue.purge();
          this.queues.delete(queue.config.name);
          this.#deleted.set(queue.config.name, this.#cloud.clock.now() + queueTombstone);
        },
        pause: (call) => this.#queue(call).setState("PAUSED"),
        resume: (call) => this.#queue(call).setState("RUNNING"),
        purge: (call) => {
          const queue = this.#queue(call);
          queue.purge();
          return queue.json();
        },
      }),
      ...policyMethods(this.#cloud, kind),
    };
  }

  #taskMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "cloudtasks.projects.locations.queues.tasks",
      permissions: "cloudtasks.tasks",
      on: namedIn(host),
    };
    return methodsOf(kind, {
      create: {
        needs: (call) => this.#actAs(taskIn(call)?.httpRequest?.oidcToken),
        run: (call) => {
          const queue = this.#queue(call);
          return queue.add(checkedTask(taskIn(call), queue, this.#cloud.clock.now()), taskTombstone);
        },
      },
      get: (call) => this.#queueOfTask(call).task(nameOf(call)),
      list: (call) => inPages(call, { tasks: this.#queue(call).tasks() }),
      delete: (call) => this.#queueOfTask(call).remove(nameOf(call)),
      run: (call) => this.#queueOfTask(call).runNow(nameOf(call)),
    });
  }

  #queue(call: Call): TaskQueue {
    const queue = this.queues.get(nameOf(call));
    if (!queue) {
      throw new Refusal(
        "NOT_FOUND",
        "Queue does not exist. If you just created the queue, wait at least a minute for the queue to initialize.",
      );
    }
    return queue;
  }

  /** The queue that a task's name tells. */
  #queueOfTask(call: Call): TaskQueue {
    const queue = this.queues.get(nameOf(call).replace(/\/tasks\/[^/]+$/, ""));
    if (!queue)
      throw new Refusal("NOT_FOUND", "The task no longer exists, though a task with this name existed recently.");
    return queue;
  }

  #actAs(token: OidcToken | undefined): Needed[] {
    return actAs(this.#cloud, token?.serviceAccountEmail);
  }
}

function taskIn(call: Call): Task | undefined {
  return (call.body as { task?: Task }).task;
}

function checkConfig({ rateLimits, retryConfig, httpTarget }: QueueConfig): void {
  const rate = rateLimits?.maxDispatchesPerSecond;
  if (rate !== undefined && (rate <= 0 || rate > 500))
    throw invalid("Queue.rate_limits.max_dispatches_per_second must be greater than 0 and at most 500.");
  const concurrent = rateLimits?.maxConcurrentDispatches;
  if (concurrent !== undefined && (concurrent < 1 || concurrent > 5000)) {
    throw invalid("Queue.rate_limits.max_concurrent_dispatches must be between 1 and 5000.");
  }
  const { maxAttempts, minBackoff, maxBackoff } = retryConfig ?? {};
  if (maxAttempts !== undefined && maxAttempts < -1)
    throw invalid("Queue.retry_config.max_attempts must be -1 or more.");
  if ((durationOf(minBackoff) ?? 0) > (durationOf(maxBackoff) ?? Infinity)) {
    throw invalid("Queue.retry_config.max_backoff must be at least as long as min_backoff.");
  }
  const token = httpTarget?.oidcToken;
  if (token && (!token.serviceAccountEmail || !token.audience)) {
    throw invalid("Queue.http_target.oidc_token must have a service account email and an audience.");
  }
}

/** A task that can be sent; its name and its time are set where they were left out. */
function checkedTask(task: Task | undefined, { config }: TaskQueue, now: number): Task {
  if (!task) throw invalid("Task is required.");
  const { httpRequest, name, scheduleTime, dispatchDeadline } = task;
  if (!httpRequest && !config.httpTarget) throw invalid("Task must have a target.");
  if (
    name !== undefined &&
    !(name.startsWith(`${config.name}/tasks/`) && /^[\w-]{1,500}$/.test(name.slice(config.name.length + 7)))
  ) {
    throw invalid(
      `Task name must be formatted: "projects/<PROJECT_ID>/locations/<LOCATION_ID>/queues/<QUEUE_ID>/tasks/<TASK_ID>"`,
    );
  }
  const { url = "", httpMethod = "POST", body } = httpRequest ?? {};
  if (!/^https?:\/\/[^/]+/.test(url) || url.length > 2083)
    throw invalid(`HttpRequest.url is required and must start with "http://" or "https://".`);
  if (body !== undefined && !["POST", "PUT", "PATCH"].includes(httpMethod))
    throw invalid("HTTP request body may only be set for POST, PUT or PATCH.");
  if (Buffer.byteLength(JSON.stringify(task)) > 1_048_576) throw invalid("Task size too large");
  if (scheduleTime !== undefined && Date.parse(scheduleTime) > now + 30 * 86_400_000) {
    throw invalid("The schedule time is more than 30 days in the future.");
  }
  const deadline = durationOf(dispatchDeadline) ?? 600_000;
  if (deadline < 15_000 || deadline > 1_800_000) throw invalid("Task.dispatchDeadline must be between [15s, 30m].");
  return task;
}
