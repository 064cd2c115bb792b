import { shortName, param, type Api } from "../api.ts";
import type { Timer } from "../clock.ts";
import type { ServingCloud } from "../serving-cloud.ts";
import { backoffOf, durationOf } from "../durations.ts";
import { invalid, Refusal } from "../errors.ts";
import { actAs, namedIn } from "../methods.ts";
import { Resources } from "../resources.ts";
import type { OidcToken } from "../run/services.ts";
import { nextRun, parseSchedule, type Schedule } from "./schedule.ts";

interface JobConfig {
  readonly name: string;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly attemptDeadline?: string;
  readonly retryConfig?: {
    readonly retryCount?: number;
    readonly minBackoffDuration?: string;
    readonly maxBackoffDuration?: string;
    readonly maxDoublings?: number;
  };
  readonly httpTarget?: {
    readonly uri?: string;
    readonly httpMethod?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly oidcToken?: OidcToken;
  };
}

interface Job {
  config: JobConfig;
  schedule: Schedule;
  next?: number;
  timer?: Timer;
  lastAttempt?: number;
  status?: number;
  isPaused?: boolean;
}

const host = "cloudscheduler.googleapis.com";

/** Cloud Scheduler: jobs that send HTTP requests on a schedule. */
export class CloudScheduler {
  readonly api: Api;
  readonly #cloud: ServingCloud;
  readonly #jobs: Resources<Job>;

  constructor(cloud: ServingCloud) {
    this.#cloud = cloud;
    this.#jobs = new Resources<Job>({
      methods: "cloudscheduler.projects.locations.jobs",
      permissions: "cloudscheduler.jobs",
      on: namedIn(host),
      items: "jobs",
      newName: (call) => {
        const { name } = call.body as JobConfig;
        if (name?.startsWith(`${param(call, "parent")}/jobs/`)) return name;
        throw invalid("Job name must be formatted: projects/<PROJECT_ID>/locations/<LOCATION_ID>/jobs/<JOB_ID>.");
      },
      missing: () => new Refusal("NOT_FOUND", "Job not found."),
      exists: (name) => new Refusal("ALREADY_EXISTS", `Job [${name}] already exists.`),
      needs: ({ httpTarget }: Partial<JobConfig>) => actAs(cloud, httpTarget?.oidcToken?.serviceAccountEmail),
      make: (call) => this.#set({}, call.body as JobConfig),
      change: (job, change) => this.#set(job, { ...job.config, ...change }),
      remove: ({ timer }) => cloud.clock.cancel(timer),
      json: (job) => this.#json(job),
    });
    const methods = this.#jobs.methods({
      run: (call) => {
        const job = this.#jobs.of(call);
        cloud.clock.after(0, () => this.#run(job, cloud.clock.now(), 0));
        return this.#json(job);
      },
      pause: (call) => this.#pause(this.#jobs.of(call), true),
      resume: { permission: "enable", run: (call) => this.#pause(this.#jobs.of(call), false) },
    });
    this.api = { host, methods };
  }

  #set(job: object, config: JobConfig): Job {
    return this.#schedule(Object.assign(job, { config, schedule: checked(config) }));
  }

  #pause(job: Job, isPaused: boolean): unknown {
    job.isPaused = isPaused;
    return this.#json(this.#schedule(job));
  }

  /** Sets the time and the timer of a job's next run; a paused job has none. */
  #schedule(job: Job): Job {
    this.#cloud.clock.cancel(job.timer);
    delete job.timer;
    delete job.next;
    const now = this.#cloud.clock.now();
    const next = nextRun(job.schedule, job.config.timeZone ?? "Etc/UTC", now);
    if (next === undefined || job.isPaused) return job;
    job.next = next;
    job.timer = this.#cloud.clock.after(next - now, () => {
      this.#schedule(job);
      return this.#run(job, next, 0);
    });
    return job;
  }

  async #run(job: Job, scheduled: number, retries: number): Promise<void> {
    const { httpTarget, attemptDeadline, retryConfig } = job.config;
    const body = httpTarget?.body;
    job.lastAttempt = this.#cloud.clock.now();
    const status = await this.#cloud.services.deliver(httpTarget?.uri ?? "", {
      method: httpTarget?.httpMethod ?? "POST",
      timeout: durationOf(attemptDeadline) ?? 180_000,
      headers: {
        "user-agent": "Google-Cloud-Scheduler",
        ...(body !== undefined && { "content-type": "application/octet-stream" }),
        ...httpTarget?.headers,
        "x-cloudscheduler": "true",
        "x-cloudscheduler-jobname": shortName(job.config.name),
        "x-cloudscheduler-scheduletime": this.#cloud.clock.timestamp(scheduled),
      },
      oidcToken: httpTarget?.oidcToken,
      body: body === undefined ? undefined : Buffer.from(body, "base64"),
    });
    job.status = status;
    if ((status >= 200 && status < 300) || retries >= (retryConfig?.retryCount ?? 0)) return;
    const { minBackoffDuration: minBackoff = "5s", maxBackoffDuration: maxBackoff = "3600s" } = retryConfig ?? {};
    const backoff = backoffOf({ minBackoff, maxBackoff, maxDoublings: retryConfig?.maxDoublings ?? 5 }, retries);
    this.#cloud.clock.after(backoff, () => this.#run(job, scheduled, retries + 1));
  }

  #json({ config, next, lastAttempt, status, isPaused }: Job): unknown {
    return {
      timeZone: "Etc/UTC",
      attemptDeadline: "180s",
      ...config,
      state: isPaused ? "PAUSED" : "ENABLED",
      ...(next !== undefined && { scheduleTime: this.#cloud.clock.timestamp(next) }),
      ...(lastAttempt !== undefined && { lastAttemptTime: this.#cloud.clock.timestamp(lastAttempt) }),
      ...(status !== undefined && (status < 200 || status >= 300) && { status: { code: 13 } }),
    };
  }
}

/** Validates a job's settings and returns its parsed schedule. */
function checked({ schedule, timeZone, attemptDeadline, retryConfig, httpTarget }: JobConfig): Schedule {
  const parsed = parseSchedule(schedule ?? "");
  if (!parsed) throw invalid("Schedule or time zone is invalid.");
  try {
    Intl.DateTimeFormat("en-US", { timeZone: timeZone ?? "Etc/UTC" });
  } catch {
    throw invalid("Schedule or time zone is invalid.");
  }
  const deadline = durationOf(attemptDeadline) ?? 180_000;
  if (deadline < 15_000 || deadline > 1_800_000) throw invalid("Job.attempt_deadline must be between [15s, 30m].");
  const retries = retryConfig?.retryCount ?? 0;
  if (retries < 0 || retries > 5) throw invalid("Job.retry_config.retry_count must be between 0 and 5.");
  if (!/^https?:\/\//.test(httpTarget?.uri ?? "")) throw invalid("Job.http_target.uri is required.");
  return parsed;
}
