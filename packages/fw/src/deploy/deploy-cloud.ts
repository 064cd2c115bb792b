import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { CloudClient, CloudRequest } from "../platform/gcp/rest/client.ts";
import { pathIn } from "./api-path.ts";
import type { DeployCloud, PushedImage } from "./driver.ts";
import { itemsOf, textOf, type Fields } from "./fields.ts";
import type { DeployPlace } from "./place.ts";
import { isSwitchedOff } from "./switched-off.ts";
import { budgetMs, isPassing, pauseOf, type Fresh } from "./retry.ts";

interface CloudParts {
  readonly client: Pick<CloudClient, "call">;
  readonly place: DeployPlace;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
  readonly images?: ReadonlyMap<string, PushedImage>;
  /** Ends calls and waits with its reason. */
  readonly signal?: AbortSignal;
}

/** The project as a deploy calls it, and what of it is learned on the way. */
export class OpenCloud implements DeployCloud {
  readonly place: DeployPlace;
  readonly images: ReadonlyMap<string, PushedImage>;
  readonly known: Map<string, string> = new Map();
  readonly fresh: Set<Fresh> = new Set();
  /** The addresses of the application's accounts in this environment. */
  readonly #accounts = new Set<string>();
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.place = parts.place;
    this.images = parts.images ?? new Map();
    this.#parts = parts;
  }

  async call<Answer>(request: CloudRequest): Promise<Answer> {
    const { client, sleep, now, signal } = this.#parts;
    const since = now();
    for (let attempt = 1; ; attempt++) {
      try {
        signal?.throwIfAborted();
        return await client.call<Answer>({ ...request, ...(signal && { signal }) });
      } catch (error) {
        if (!(error instanceof CloudError) || !isPassing(error, request, this.fresh)) throw error;
        const pause = pauseOf(attempt, error);
        if (now() - since + pause > budgetMs) throw error;
        await sleep(pause);
      }
    }
  }

  async find(request: CloudRequest): Promise<Fields | undefined> {
    try {
      return await this.call<Fields>(request);
    } catch (error) {
      // Nothing is there in an API that nobody has switched on.
      if ((error instanceof CloudError && error.status === 404) || isSwitchedOff(error)) return undefined;
      throw error;
    }
  }

  async all(request: CloudRequest, name: string): Promise<readonly Fields[]> {
    const items: Fields[] = [];
    let pageToken: string | undefined;
    do {
      const page: Fields = (await this.find({ ...request, query: { ...request.query, pageToken } })) ?? {};
      items.push(...itemsOf(page[name]));
      pageToken = textOf(page["nextPageToken"]) || undefined;
    } while (pageToken !== undefined);
    return items;
  }

  async finished(begun: unknown, api: CloudRequest["api"]): Promise<Fields> {
    let operation = begun as Operation;
    if (operation.name !== undefined && operation.done !== true) {
      const { name } = operation;
      await this.until(`the operation ${name}`, async () => {
        operation = await this.call<Operation>({ api, method: "GET", path: pathIn(api, name) });
        return operation.done === true;
      });
    }
    const { error, response = {} } = operation;
    if (error === undefined) return response;
    const { code = 2, message = "it failed" } = error;
    throw new CloudError(`${operation.name}: ${message}`, {
      status: statusOf[code] ?? 500,
      code: String(code),
      said: message,
      unknownEffect: false,
    });
  }

  async until(awaited: string, isDone: () => Promise<boolean>, milliseconds: number = budgetMs): Promise<void> {
    const { sleep, now, signal } = this.#parts;
    const since = now();
    for (let attempt = 1; !(await isDone()); attempt++) {
      signal?.throwIfAborted();
      if (now() - since > milliseconds)
        throw new Error(`${awaited} is not done after ${milliseconds / 60_000} minutes; deploy again to go on`);
      await sleep(Math.min(pauseOf(attempt), 5_000));
    }
  }

  addAccount(email: string): void {
    this.#accounts.add(email);
  }

  isOurs(member: string): boolean {
    return this.#accounts.has(member.replace(/^(?:deleted:)?serviceAccount:/, "").replace(/\?uid=.*$/, ""));
  }
}

interface Operation {
  readonly name?: string;
  readonly done?: boolean;
  readonly response?: Fields;
  readonly error?: { readonly code?: number; readonly message?: string };
}

/** What the codes of operations that failed are in HTTP. */
const statusOf: Readonly<Record<number, number>> = { 3: 400, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 14: 503 };
