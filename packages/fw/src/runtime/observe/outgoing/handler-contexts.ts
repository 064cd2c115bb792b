import { AsyncLocalStorage } from "node:async_hooks";
import type { HasOrigin } from "../../calls/origin.ts";
import type { Bundle } from "../../bundle.ts";
import type { Trace } from "../trace.ts";

/** The members of declarations that contain an application's code, which receives a context. */
const codeMembers = ["handler", "decide", "body"] as const;

type Code = (ctx: object, ...inputs: readonly unknown[]) => unknown;
type CodeDeclaration = { readonly [Member in (typeof codeMembers)[number]]?: Code };

/** A row of a bundle. Its declaration may be replaced once the application has indexed the rows by declaration. */
interface CodeRow {
  /** Undefined for an authenticator whose code is in another service. */
  declaration: CodeDeclaration | undefined;
}

/**
 * Tracks the context of the running handler, so a recorder can assign outgoing requests to a trace. After `begin`,
 * tracking costs half a microsecond per handler call and, in Node 20, a little for each promise of a handler.
 */
export class HandlerContexts {
  /** Undefined until `begin`. */
  #running: AsyncLocalStorage<object> | undefined = undefined;
  /** The application whose handlers `begin` wraps. */
  #waiting: Bundle | undefined = undefined;
  readonly #followed = new WeakSet<Code>();

  /**
   * Wraps an application's handlers, policies and bodies to track their contexts. Before `begin`, only stores the
   * application, so its handlers run at full speed.
   */
  follow(bundle: Bundle): void {
    if (this.#running === undefined) this.#waiting = bundle;
    else this.#replace(bundle, this.#running);
  }

  /** Starts tracking. The contexts of handlers that are already running remain unknown. */
  begin(): void {
    if (this.#running !== undefined) return;
    this.#running = new AsyncLocalStorage();
    if (this.#waiting !== undefined) this.#replace(this.#waiting, this.#running);
    this.#waiting = undefined;
  }

  /** The trace of the running handler; undefined outside handlers, and before `begin`. */
  get trace(): Trace | undefined {
    const ctx = this.#running?.getStore();
    return ctx && traceOf(ctx);
  }

  #replace(bundle: Bundle, running: AsyncLocalStorage<object>): void {
    const { endpoints, consumers = [], crons = [], singletons = [], authenticators = [] } = bundle;
    const policies = endpoints.flatMap(({ allow }) => allow ?? []);
    const rows: readonly object[] = [
      ...endpoints,
      ...policies,
      ...consumers,
      ...crons,
      ...singletons,
      ...authenticators,
    ];
    for (const row of rows) this.#replaceCode(row as CodeRow, running);
  }

  #replaceCode(row: CodeRow, running: AsyncLocalStorage<object>): void {
    const { declaration } = row;
    const member = codeMembers.find((each) => typeof declaration?.[each] === "function");
    const code = member && declaration?.[member];
    if (member === undefined || code === undefined || this.#followed.has(code)) return;
    row.declaration = { ...declaration, [member]: this.#following(code, running) };
  }

  #following(code: Code, running: AsyncLocalStorage<object>): Code {
    const following: Code = (ctx, ...inputs) => running.run(ctx, code, ctx, ...inputs);
    // fw checks how many parameters a policy declares.
    Object.defineProperty(following, "length", { value: code.length });
    this.#followed.add(following);
    return following;
  }
}

/**
 * Returns the trace of a context; undefined if it has none. Checks members rather than the class, because the context
 * may come from the copy of fw in the service's bundle.
 */
function traceOf(ctx: object): Trace | undefined {
  let each: Partial<HasOrigin> & { readonly outer?: object } = ctx;
  while (each.callOrigin === undefined) {
    if (each.outer === undefined) return undefined;
    each = each.outer;
  }
  return each.callOrigin().trace;
}
