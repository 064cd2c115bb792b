import { randomUUID } from "node:crypto";
import { nameOf, type Method } from "./api.ts";
import type { CloudClock } from "./clock.ts";
import { Refusal, type Code } from "./errors.ts";

interface Operation {
  readonly name: string;
  /** Returns the operation's current metadata. */
  readonly metadata: () => unknown;
  outcome?: Outcome;
  readonly over: Promise<Outcome>;
}

type Outcome = { readonly response: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** Numbers of `google.rpc.Code`. */
const codes: Partial<Record<Code, number>> = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNAVAILABLE: 14,
};

/** Long-running operations, which continue after the response to the call that started them. */
export class Operations {
  readonly #clock: CloudClock;
  readonly #operations = new Map<string, Operation>();

  constructor(clock: CloudClock) {
    this.#clock = clock;
  }

  /** The method that returns the state of an operation. */
  get getMethod(): Method {
    return { needs: () => [], run: (call) => this.get(nameOf(call)) };
  }

  /**
   * Starts a long-running operation and returns its state. `place` is `projects/p/locations/l`, or "" for global
   * operations; the result of `work` becomes the response.
   */
  start(place: string, work: Promise<unknown>, metadata: () => unknown = () => ({})): unknown {
    const name = `${place && `${place}/`}operations/${randomUUID()}`;
    const over = this.#outcome(work).then((outcome) => {
      operation.outcome = outcome;
      return outcome;
    });
    const operation: Operation = { name, metadata, over };
    this.#operations.set(name, operation);
    return this.get(name);
  }

  /** Starts an operation that runs `effect` after a delay. */
  after(place: string, milliseconds: number, effect: () => unknown): unknown {
    return this.start(place, this.#clock.sleep(milliseconds).then(effect));
  }

  get(name: string): unknown {
    const { metadata, outcome } = this.#operation(name);
    return { name, metadata: metadata(), done: outcome !== undefined, ...outcome };
  }

  /** Resolves with the operation's state once it has finished. */
  async wait(name: string): Promise<unknown> {
    await this.#operation(name).over;
    return this.get(name);
  }

  async #outcome(work: Promise<unknown>): Promise<Outcome> {
    try {
      return { response: await work };
    } catch (error) {
      const code = error instanceof Refusal ? (codes[error.code] ?? 13) : 13;
      return { error: { code, message: (error as Error).message } };
    }
  }

  #operation(name: string): Operation {
    const operation = this.#operations.get(name);
    if (!operation) throw new Refusal("NOT_FOUND", `Operation ${name} not found.`);
    return operation;
  }
}
