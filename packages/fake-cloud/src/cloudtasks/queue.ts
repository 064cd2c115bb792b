import { shortName } from "../api.ts";
import { randomInt } from "node:crypto";
import type { Timer } from "../clock.ts";
import type { ServingCloud } from "../serving-cloud.ts";
import { backoffOf, durationOf } from "../durations.ts";
import { Refusal } from "../errors.ts";
import type { OidcToken } from "../run/services.ts";

/** The settings of a queue. */
export interface QueueConfig {
  readonly name: string;
  readonly rateLimits?: { readonly maxDispatchesPerSecond?: number; readonly maxConcurrentDispatches?: number };
  readonly retryConfig?: {
    readonly maxAttempts?: number;
    readonly maxRetryDuration?: string;
    readonly minBackoff?: string;
    readonly maxBackoff?: string;
    readonly maxDoublings?: number;
  };
  readonly httpTarget?: {
    readonly httpMethod?: string;
    readonly uriOverride?: {
      readonly scheme?: string;
      readonly host?: string;
      readonly port?: string;
      readonly pathOverride?: { readonly path?: string };
      readonly queryOverride?: { readonly queryParams?: string };
      readonly uriOverrideEnforceMode?: string;
    };
    readonly headerOverrides?: readonly { readonly header?: { readonly key?: string; readonly value?: string } }[];
    readonly oidcToken?: OidcToken;
  };
}

/** The fields of a new task. */
export interface Task {
  readonly name?: string;
  readonly scheduleTime?: string;
  readonly dispatchDeadline?: string;
  readonly httpRequest?: {
    readonly url?: string;
    readonly httpMethod?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly oidcToken?: OidcToken;
  };
}

const usualBackoff = { minBackoff: "0.100s", maxBackoff: "3600s", maxDoublings: 16 };

interface KeptTask {
  readonly name: string;
  readonly task: Task;
  readonly created: number;
  due: number;
  attempts: number;
  /** Attempts that got a response. */
  answered: number;
  previous?: number;
  timer?: Timer;
}

/** A queue of tasks. Sends each when it is due, and retries it until it succeeds or reaches the retry limit. */
export class TaskQueue {
  config: QueueConfig;
  readonly #cloud: ServingCloud;
  #state: "RUNNING" | "PAUSED" = "RUNNING";
  readonly #tasks = new Map<string, KeptTask>();
  /** Names of removed tasks, with the time until which they stay reserved. */
  readonly #gone = new Map<string, number>();
  #tombstone = 0;
  #underWay = 0;
  /** The time at which the queue's rate permits the next task. */
  #next = 0;
  readonly #waiting: KeptTask[] = [];

  constructor(cloud: ServingCloud, config: QueueConfig) {
    this.#cloud = cloud;
    this.config = config;
  }

  json(): unknown {
    const { rateLimits, retryConfig } = this.config;
    return {
      ...this.config,
      rateLimits: { maxDispatchesPerSecond: 500, maxBurstSize: 100, maxConcurrentDispatches: 1000, ...rateLimits },
      retryConfig: { maxAttempts: 100, ...usualBackoff, ...retryConfig },
      state: this.#state,
    };
  }

  get tasks(): readonly unknown[] {
    return [...this.#tasks.values()].map((item) => this.#json(item));
  }

  setState(state: "RUNNING" | "PAUSED"): unknown {
    this.#state = state;
    if (state === "RUNNING") for (const item of this.#tasks.values()) if (!item.timer) this.#schedule(item);
    return this.json();
  }

  /** Adds a task unless its name is in use or reserved. */
  add(task: Task, tombstone: number): unknown {
    const now = this.#cloud.clock.now();
    this.#tombstone = tombstone;
    const name = task.name ?? `${this.config.name}/tasks/${randomInt(2 ** 47)}${randomInt(1e6)}`;
    if (this.#tasks.has(name)) throw new Refusal("ALREADY_EXISTS", "Requested entity already exists");
    if ((this.#gone.get(name) ?? 0) > now) {
      throw new Refusal(
        "ALREADY_EXISTS",
        "The task cannot be created because a task with this name existed too recently. For more information about task de-duplication see https://cloud.google.com/tasks/docs/reference/rest/v2/projects.locations.queues.tasks/create#body.request_body.FIELDS.task.",
      );
    }
    const due = Math.max(now, task.scheduleTime === undefined ? now : Date.parse(task.scheduleTime));
    const item: KeptTask = { name, task, created: now, due, attempts: 0, answered: 0 };
    this.#tasks.set(name, item);
    this.#schedule(item);
    return this.#json(item);
  }

  purge(): void {
    for (const item of this.#tasks.values()) this.#drop(item);
  }

  #schedule(item: KeptTask): void {
    this.#cloud.clock.cancel(item.timer);
    delete item.timer;
    if (this.#state === "PAUSED") return;
    const delay = item.due - this.#cloud.clock.now() + this.#cloud.faults.holdUp();
    item.timer = this.#cloud.clock.after(delay, () => {
      this.#waiting.push(item);
      // Sometimes sends the task twice.
      if (this.#cloud.faults.isDuplicate()) this.#waiting.push(item);
      return this.#sendWaiting();
    });
  }

  /** Sends due tasks within the queue's limits of rate and concurrency. */
  async #sendWaiting(): Promise<void> {
    const { maxConcurrentDispatches = 1000, maxDispatchesPerSecond = 500 } = this.config.rateLimits ?? {};
    const sending: Promise<void>[] = [];
    while (this.#waiting.length > 0 && this.#underWay < maxConcurrentDispatches) {
      const now = this.#cloud.clock.now();
      if (this.#next > now) {
        this.#cloud.clock.after(this.#next - now, () => this.#sendWaiting());
        break;
      }
      const item = this.#waiting.shift();
      if (!item || !this.#tasks.has(item.name)) continue;
      if (this.#state === "PAUSED") {
        // Without a timer, it is scheduled when the queue is resumed.
        delete item.timer;
        continue;
      }
      // Applies the rate only to slow queues; fast ones send everything immediately.
      if (maxDispatchesPerSecond < 100) this.#next = Math.max(now, this.#next) + 1000 / maxDispatchesPerSecond;
      this.#underWay += 1;
      sending.push(
        this.#send(item).finally(() => {
          this.#underWay -= 1;
        }),
      );
    }
    await Promise.all(sending);
    if (sending.length > 0 && this.#waiting.length > 0) await this.#sendWaiting();
  }

  async #send(item: KeptTask): Promise<void> {
    const { httpRequest: { url = "", httpMethod = "POST", oidcToken, body } = {}, dispatchDeadline } = item.task;
    const { httpTarget } = this.config;
    const headers = this.#headers(item);
    item.attempts += 1;
    const status = await this.#cloud.services.deliver(this.#url(url), {
      method: httpTarget?.httpMethod ?? httpMethod,
      headers,
      oidcToken: httpTarget?.oidcToken ?? oidcToken,
      timeout: durationOf(dispatchDeadline) ?? 600_000,
      body: body === undefined ? undefined : Buffer.from(body, "base64"),
    });
    if (!this.#tasks.has(item.name)) return;
    if (status >= 200 && status < 300) return this.#drop(item);
    item.previous = status;
    if (status > 0) item.answered += 1;
    const { maxAttempts = 100, maxRetryDuration, ...backoff } = this.config.retryConfig ?? {};
    const now = this.#cloud.clock.now();
    const longest = durationOf(maxRetryDuration) ?? 0;
    const tooLong = longest > 0 && now - item.created > longest;
    if (maxAttempts !== -1 && item.attempts >= maxAttempts && (tooLong || !maxRetryDuration)) return this.#drop(item);
    item.due = now + backoffOf({ ...usualBackoff, ...backoff }, item.attempts - 1);
    this.#schedule(item);
  }

  /** Merges headers, in rising precedence: defaults, task, queue, Cloud Tasks. */
  #headers({ name, task, attempts, answered, previous, due }: KeptTask): Readonly<Record<string, string>> {
    const ownHeaders = Object.entries(task.httpRequest?.headers ?? {});
    const overrides = (this.config.httpTarget?.headerOverrides ?? []).map(
      ({ header: { key = "", value = "" } = {} }) => [key, value],
    );
    const allHeaders = [...ownHeaders, ...overrides].map(([key = "", value = ""]): [string, string] => [
      key.toLowerCase(),
      value,
    ]);
    return {
      "content-type": "application/octet-stream",
      "user-agent": "Google-Cloud-Tasks",
      ...Object.fromEntries(allHeaders),
      "x-cloudtasks-queuename": shortName(this.config.name),
      "x-cloudtasks-taskname": shortName(name),
      "x-cloudtasks-taskretrycount": String(attempts),
      "x-cloudtasks-taskexecutioncount": String(answered),
      "x-cloudtasks-tasketa": (due / 1000).toFixed(6),
      ...(previous !== undefined && previous > 0 && { "x-cloudtasks-taskpreviousresponse": String(previous) }),
    };
  }

  /** Returns the task's URL with the parts that the queue overrides. */
  #url(text: string): string {
    const override = this.config.httpTarget?.uriOverride;
    if (!override) return text;
    const url = new URL(text);
    if (override.uriOverrideEnforceMode === "IF_NOT_EXISTS" && url.host) return text;
    if (override.scheme) url.protocol = `${override.scheme.toLowerCase()}:`;
    if (override.host) url.host = override.host;
    if (override.port) url.port = override.port;
    if (override.pathOverride?.path !== undefined) url.pathname = override.pathOverride.path;
    if (override.queryOverride?.queryParams !== undefined) url.search = override.queryOverride.queryParams;
    return url.href;
  }

  #json({ name, task, created, due, attempts, answered }: KeptTask): unknown {
    const { clock } = this.#cloud;
    return {
      name,
      httpRequest: { httpMethod: "POST", ...task.httpRequest },
      scheduleTime: clock.timestamp(due),
      createTime: clock.timestamp(created),
      dispatchDeadline: task.dispatchDeadline ?? "600s",
      dispatchCount: attempts,
      responseCount: answered,
      view: "BASIC",
    };
  }

  #drop(item: KeptTask): void {
    this.#cloud.clock.cancel(item.timer);
    this.#tasks.delete(item.name);
    this.#gone.set(item.name, this.#cloud.clock.now() + this.#tombstone);
  }
}
