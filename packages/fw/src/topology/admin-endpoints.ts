import { jsonBytes } from "../lib/limits.ts";
import type { App } from "../model/app.ts";
import { consumersOf } from "../model/declarations.ts";
import type { DataStatus } from "../platform/data-status.ts";
import type { Dispatcher } from "../platform/messages.ts";
import { dispatcherOperations, statusPath } from "../runtime/background/dispatcher-operations.ts";
import { readBody } from "../runtime/body/body.ts";
import { messages } from "../runtime/error-messages.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { sendEmpty, sendText } from "../runtime/response/send.ts";
import type { Crons } from "./crons.ts";
import { ServiceElsewhere, type PlatformCaller, type ServiceAnswer } from "./deliveries.ts";

export interface AdminEndpointsOptions {
  readonly app: App;
  readonly caller: PlatformCaller;
  readonly crons: Crons;
  readonly dispatcher: Dispatcher;
  readonly status: () => Promise<DataStatus>;
}

const cronPrefix = "api/cron/";
const jobPrefix = "dev/operate/jobs/";

/**
 * Endpoints for commands of the same user. Handles requests about the platform, and forwards requests about code to a
 * service.
 */
export class AdminEndpoints {
  readonly #options: AdminEndpointsOptions;

  constructor(options: AdminEndpointsOptions) {
    this.#options = options;
  }

  /** Returns the handler for a command's path below `/_fw/`; undefined for other paths. */
  answer(path: string): ((request: Request) => Promise<void>) | undefined {
    const work = this.#workOf(path);
    if (work === undefined) return undefined;
    return async (request) => {
      const body = (await readBody(request.exchange, jsonBytes)).toString();
      try {
        const { status, text } = await work(body);
        const headers = ["Cache-Control", "no-store"];
        if (text === "") sendEmpty(request, status, headers);
        else sendText(request, status, "application/json", headers, text);
      } catch (error) {
        const status = error instanceof ServiceElsewhere ? 503 : 500;
        refuse(request, { status, message: error instanceof Error ? error.message : messages.internal });
      }
    };
  }

  #workOf(path: string): ((body: string) => Promise<ServiceAnswer>) | undefined {
    const { dispatcher, crons, status } = this.#options;
    if (path === statusPath) return () => toAnswer(status());
    if (path.startsWith(cronPrefix)) return () => crons.trigger(decodeURIComponent(path.slice(cronPrefix.length)));
    if (path.startsWith(jobPrefix)) return (body) => this.#startJob(path.slice(jobPrefix.length), body);
    const work = dispatcherOperations.get(path);
    return work && ((body) => toAnswer(work(dispatcher, body)));
  }

  /** Starts a job in the service that runs it, because no other knows the type of its arguments. */
  async #startJob(name: string, body: string): Promise<ServiceAnswer> {
    const { app, caller } = this.#options;
    const consumers = app.packages.flatMap(consumersOf);
    const runner = consumers.find(({ kind, source }) => kind === "runner" && source.name === decodeURIComponent(name));
    if (runner === undefined) throw new Error(`no Runner runs the job "${decodeURIComponent(name)}"`);
    return caller.post(runner.service, `${jobPrefix}${name}`, body);
  }
}

async function toAnswer(work: Promise<unknown>): Promise<ServiceAnswer> {
  return { status: 200, text: JSON.stringify((await work) ?? null) };
}
