import type { Clock } from "../platform/contract.ts";
import type { CloudClient, CloudRequest } from "../platform/gcp/rest/client.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import { pathIn, shortName } from "./api-path.ts";
import type { DeployPlace } from "./deploy-place.ts";
import { type Fields, fieldsOf, itemsOf, textOf } from "./fields.ts";
import { FreshChanges } from "./fresh-changes.ts";
import { budgetMs, pauseOf, silentMs, transientReason } from "./retry.ts";
import { isSwitchedOff } from "./switched-off.ts";

interface CloudParts {
  readonly client: Pick<CloudClient, "call">;
  readonly place: DeployPlace;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
  readonly images?: ReadonlyMap<string, PushedImage>;
  /** When it aborts, calls and waits reject with its reason. */
  readonly signal?: AbortSignal;
  /** Called once for each reason for a wait of more than a few seconds. */
  readonly waiting?: (reason: string) => void;
}

/** A signal that disables the client's own retries. */
const once = AbortSignal.abort();

export interface PushedImage {
  /** True if the project already has the image. */
  exists(): Promise<boolean>;
  push(): Promise<void>;
}

/** Calls the APIs of the target project, and collects values that later steps of the deploy need. */
export class DeployCloud {
  readonly place: DeployPlace;
  readonly images: ReadonlyMap<string, PushedImage>;
  /** Values known only after other resources exist, keyed by their placeholders. */
  readonly values: Map<string, string> = new Map();
  /** The changes of this deploy that Google's services may not have propagated yet. */
  readonly fresh: FreshChanges = new FreshChanges();
  /** The emails of the application's service accounts in this environment. */
  readonly #accounts = new Set<string>();
  readonly #leads = new WaitLeads();
  /** The reasons for waits that were reported. */
  readonly #reported = new Set<string>();
  readonly #once = new Map<string, Promise<void>>();
  readonly #parts: CloudParts;

  /** A clock whose pauses end when the deploy is aborted. */
  readonly clock: Clock = {
    now: () => this.#parts.now(),
    elapsed: () => this.#parts.now(),
    sleep: async (milliseconds) => {
      const { now, signal, sleep } = this.#parts;
      for (const until = now() + milliseconds; now() < until;) {
        signal?.throwIfAborted();
        await sleep(Math.min(until - now(), 5_000));
      }
    },
  };

  constructor(parts: CloudParts) {
    this.place = parts.place;
    this.images = parts.images ?? new Map();
    this.#parts = parts;
  }

  /**
   * Calls an API. Retries after transient failures, and while a change made by this deploy propagates. Rejects with a
   * CloudError.
   */
  call<Answer>(request: CloudRequest): Promise<Answer> {
    return this.#repeat<Answer>(request, (error) => this.fresh.reasonFor(error, request));
  }

  /** Returns the response, or undefined if the resource does not exist. Never waits for propagation. */
  async find(request: CloudRequest): Promise<Fields | undefined> {
    try {
      return await this.#repeat<Fields>(request, () => undefined);
    } catch (error) {
      // A disabled API has no resources.
      if ((error instanceof CloudError && error.status === 404) || isSwitchedOff(error)) return undefined;
      throw error;
    }
  }

  /**
   * Returns all items of a paginated list; none if its parent does not exist or the API is disabled. `name` is the
   * list's property in the responses.
   */
  all(request: CloudRequest, name: string): Promise<readonly Fields[]> {
    return allPages((page) => this.find(page), request, name);
  }

  /** Waits for a long-running operation and returns its response; rejects if it failed. */
  async waitForOperation(started: unknown, api: CloudRequest["api"]): Promise<Fields> {
    let operation = started as Operation;
    if (operation.name !== undefined && operation.done !== true) {
      const { name } = operation;
      await this.until(`the operation ${name}`, async () => {
        operation = await this.call<Operation>({ api, method: "GET", path: pathIn(api, name) });
        return operation.done === true;
      });
    }
    const { error, response = {} } = operation;
    if (error === undefined) return response;
    const { code = 2, message = "unknown error" } = error;
    throw new CloudError(`${message} (operation ${shortName(operation.name ?? "")})`, {
      status: statusOf[code] ?? 500,
      code: String(code),
      serverMessage: message,
      unknownEffect: false,
    });
  }

  async #repeat<Answer>(
    request: CloudRequest,
    freshReason: (error: CloudError) => string | undefined,
  ): Promise<Answer> {
    const { client, now, signal, sleep } = this.#parts;
    const since = now();
    let endLead: (() => void) | undefined;
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          signal?.throwIfAborted();
          // Retries happen here, because a deploy reports its waits.
          return await client.call<Answer>({ ...request, triesUntil: once, ...(signal && { signal }) });
        } catch (error) {
          if (!(error instanceof CloudError)) throw error;
          const transient = transientReason(error, request);
          const reason = transient ?? freshReason(error);
          if (reason === undefined) throw error;
          const lead = transient === undefined && endLead === undefined ? this.#leads.of(reason) : undefined;
          if (transient === undefined && lead === undefined) endLead ??= this.#leads.take(reason);
          if (lead !== undefined) {
            await lead;
            continue;
          }
          const pause = pauseOf(attempt, error);
          const silence = now() - since + pause;
          if (silence > budgetMs) throw error;
          if (silence > silentMs) this.reportWait(reason);
          await sleep(pause);
        }
      }
    } finally {
      endLead?.();
    }
  }

  /** Reports the reason for a wait, unless it has already been reported. */
  reportWait(reason: string): void {
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    this.#parts.waiting?.(reason);
  }

  /** Waits until `isDone` resolves with true; after `milliseconds`, rejects with an error that names `awaited`. */
  async until(awaited: string, isDone: () => Promise<boolean>, milliseconds: number = budgetMs): Promise<void> {
    const { sleep, now, signal } = this.#parts;
    const since = now();
    for (let attempt = 1; !(await isDone()); attempt++) {
      signal?.throwIfAborted();
      if (now() - since > milliseconds)
        throw new Error(
          `gave up waiting for ${awaited} after ${milliseconds / 60_000} minutes; run the same command again to resume`,
        );
      await sleep(Math.min(pauseOf(attempt), 5_000));
    }
  }

  /** Runs the work with a name once per deploy for all callers. After a failure, the next call runs it again. */
  async once(name: string, work: () => Promise<void>): Promise<void> {
    const running = this.#once.get(name) ?? work();
    this.#once.set(name, running);
    await running.catch((error: unknown) => {
      this.#once.delete(name);
      throw error;
    });
  }

  /** Registers an account of the application in this environment. */
  addAccount(email: string): void {
    this.#accounts.add(email);
  }

  /** True if a policy member is an account of the application in this environment. */
  isOurs(member: string): boolean {
    return this.#accounts.has(member.replace(/^(?:deleted:)?serviceAccount:/, "").replace(/\?uid=.*$/, ""));
  }
}

/**
 * Returns all items of a list. The token of the next page is in the response itself or, in Kubernetes style, in its
 * metadata.
 */
export async function allPages(
  find: (request: CloudRequest) => Promise<Fields | undefined>,
  request: CloudRequest,
  name: string,
): Promise<readonly Fields[]> {
  const items: Fields[] = [];
  for (let next: CloudRequest["query"] | undefined = {}; next !== undefined;) {
    const page: Fields = (await find({ ...request, query: { ...request.query, ...next } })) ?? {};
    items.push(...itemsOf(page[name]));
    const pageToken = textOf(page["nextPageToken"]);
    const from = textOf(fieldsOf(page["metadata"])["continue"]);
    next = pageToken !== "" ? { pageToken } : from !== "" ? { continue: from } : undefined;
  }
  return items;
}

interface Operation {
  readonly name?: string;
  readonly done?: boolean;
  readonly response?: Fields;
  readonly error?: { readonly code?: number; readonly message?: string };
}

/** HTTP status codes by the gRPC code of a failed operation. */
const statusOf: Readonly<Record<number, number>> = { 3: 400, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 14: 503 };

/** Lets one call retry for each reason. Others with the same reason wait for it instead of polling the same API. */
class WaitLeads {
  readonly #leads = new Map<string, Promise<void>>();

  /** Returns a promise that settles when the retrying call ends, if any. */
  of(reason: string): Promise<void> | undefined {
    return this.#leads.get(reason);
  }

  /** Makes the caller the one that retries for the reason, until the returned function is called. */
  take(reason: string): () => void {
    const ending = new AbortController();
    this.#leads.set(reason, new Promise((resolve) => ending.signal.addEventListener("abort", () => resolve())));
    return () => {
      this.#leads.delete(reason);
      ending.abort();
    };
  }
}
