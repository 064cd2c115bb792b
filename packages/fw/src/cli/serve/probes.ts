import { atMost } from "../../platform/clock.ts";
import type { Request } from "../../runtime/request.ts";
import { sendText } from "../../runtime/response/send.ts";

/** Timeout for the database's response to a probe, in milliseconds. */
const answerMs = 2_000;

/** The maximum age of a database response that probes reuse, in milliseconds. */
const freshMs = 500;

/**
 * Responds to the probes of load balancers: `z/live` succeeds while the process runs, `z/ready` while it accepts
 * requests and reaches its data.
 */
export class Probes {
  readonly #check: () => Promise<void>;
  #isDraining = false;
  #isServing = false;
  #last: { readonly at: number; readonly outcome: Promise<boolean> } | undefined;

  /** `check` rejects while the data is unreachable. */
  constructor(check: () => Promise<void>) {
    this.#check = check;
  }

  /** The probes by method and path below `/_fw/`. */
  get endpoints(): ReadonlyMap<string, (request: Request) => Promise<void>> {
    return new Map([
      ["GET z/live", async (request) => answer(request, 200, "live")],
      ["GET z/ready", async (request) => this.#answerReady(request)],
    ]);
  }

  /** Called when every service listens. */
  serve(): void {
    this.#isServing = true;
  }

  /** Called before the server stops, so that load balancers send requests elsewhere. */
  drain(): void {
    this.#isDraining = true;
  }

  async #answerReady(request: Request): Promise<void> {
    if (this.#isDraining) return answer(request, 503, "stopping");
    if (!this.#isServing) return answer(request, 503, "starting");
    return (await this.#isReachable()) ? answer(request, 200, "ready") : answer(request, 503, "no database");
  }

  #isReachable(): Promise<boolean> {
    const now = performance.now();
    if (this.#last !== undefined && now - this.#last.at < freshMs) return this.#last.outcome;
    let isDone = false;
    const check = this.#check().then(() => void (isDone = true));
    const outcome = atMost(check, answerMs).then(
      () => isDone,
      () => false,
    );
    this.#last = { at: now, outcome };
    return outcome;
  }
}

function answer(request: Request, status: number, text: string): void {
  sendText(request, status, "text/plain; charset=utf-8", ["Cache-Control", "no-store"], `${text}\n`);
}
