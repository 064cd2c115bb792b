import { param, type Api, type Call, type Need } from "../api.ts";
import type { ServingCloud } from "../serving-cloud.ts";
import { durationOf } from "../durations.ts";
import { invalid, Refusal } from "../errors.ts";
import { actAs, methodsOf, namedIn, type ResourceKind } from "../methods.ts";
import { inPages } from "../pages.ts";
import { Resources } from "../resources.ts";
import type { OidcToken } from "../run/services.ts";
import { TaskQueue, type QueueConfig, type Task } from "./queue.ts";

const host = "cloudtasks.googleapis.com";

/** Milliseconds before the name of a deleted queue can be used again; Google says up to three days. */
const queueTombstone = 3 * 86_400_000;

/** Milliseconds before the name of a removed task can be used again. */
const taskTombstone = 3_600_000;

/** Cloud Tasks: queues, and tasks sent as HTTP requests. */
export class CloudTasks {
  readonly queues: Resources<TaskQueue>;
  readonly api: Api;
  readonly #cloud: ServingCloud;

  constructor(cloud: ServingCloud) {
    this.#cloud = cloud;
    const { clock } = cloud;
    const deleted = new Map<string, number>();
    this.queues = new Resources<TaskQueue>({
      methods: "cloudtasks.projects.locations.queues",
      permissions: "cloudtasks.queues",
      on: namedIn(host),
      policies: cloud,
      items: "queues",
      newName: (call) => {
        const { name } = call.body as QueueConfig;
        if (new RegExp(`^${param(call, "parent")}/queues/([A-Za-z0-9-]{1,100})$`).test(name ?? "")) return name;
        throw invalid(`Invalid resource field value in the request: "${name}".`);
      },
      missing: () =>
        new Refusal(
          "NOT_FOUND",
          "Queue does not exist. If you just created the queue, wait at least a minute for the queue to initialize.",
        ),
      exists: () => new Refusal("ALREADY_EXISTS", "Queue already exists"),
      needs: ({ httpTarget }: Partial<QueueConfig>) => this.#actAs(httpTarget?.oidcToken),
      make: (call) => new TaskQueue(cloud, checked(call.body as QueueConfig)),
      // Creating a queue with the name of a recently deleted one seems to succeed, but creates nothing.
      isThere: (name) => (deleted.get(name) ?? 0) <= clock.now(),
      change: (queue, change) => {
        queue.config = checked({ ...queue.config, ...change });
        return queue;
      },
      remove: (queue, name) => {
        queue.purge();
        deleted.set(name, clock.now() + queueTombstone);
      },
      json: (queue) => queue.json(),
    });
    const queueMethods = this.queues.methods({
      pause: (call) => this.queues.of(call).setState("PAUSED"),
      resume: (call) => this.queues.of(call).setState("RUNNING"),
    });
    this.api = { host, methods: { ...queueMethods, ...this.#taskMethods() } };
  }

  #taskMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "cloudtasks.projects.locations.queues.tasks",
      permissions: "cloudtasks.tasks",
      on: namedIn(host),
    };
    return methodsOf(kind, {
      list: { run: (call) => inPages(call, { tasks: this.queues.of(call).tasks }) },
      create: {
        needs: (call) => this.#actAs(taskIn(call)?.httpRequest?.oidcToken),
        run: (call) => {
          const queue = this.queues.of(call);
          return queue.add(checkedTask(taskIn(call), queue, this.#cloud.clock.now()), taskTombstone);
        },
      },
    });
  }

  #actAs(token: OidcToken | undefined): Need[] {
    return actAs(this.#cloud, token?.serviceAccountEmail);
  }
}

function taskIn(call: Call): Task | undefined {
  return (call.body as { task?: Task }).task;
}

function checked(config: QueueConfig): QueueConfig {
  const { rateLimits, retryConfig, httpTarget } = config;
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
  return config;
}

/** Validates a new task and returns it unchanged. */
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
