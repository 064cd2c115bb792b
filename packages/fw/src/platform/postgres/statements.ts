import { createHash } from "node:crypto";
import { sqlState } from "./failures.ts";

/** Limit: statement texts that one process or connection to PostgreSQL keeps prepared. */
const preparedStatements = 200;

/**
 * Settings for connections that keep prepared statements. Every statement of fw reads by key and in index order, so a
 * plan that was made for an empty table stays good for any values.
 */
export const sessionSettings: string = [
  "SET plan_cache_mode = force_generic_plan",
  ...["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"].map((each) => `SET enable_${each} = off`),
  // Statements without a suitable index would otherwise be compiled, because these settings make their cost very high.
  "SET jit = off",
].join("; ");

/** A statement as the driver expects it. */
export interface Statement {
  readonly text: string;
  /** The name of the prepared statement; without one, the server plans the statement each time. */
  readonly name?: string;
}

/**
 * Names repeated statements by a hash of their text, because a connection prepares a named statement only once. A name
 * stands for the same text in every process, even if a pooler shares connections between them.
 */
export class Statements {
  readonly #prefix: string;
  /** Statements by template, the least recently used first. */
  readonly #statements = new Map<string, Statement>();
  #names: boolean;
  /** Part of every name. Changes when tables have changed, because prepared statements for the old tables fail. */
  #generation = 0;

  /** The prefix replaces `@@` in each text. */
  constructor(prefix: string, names: boolean) {
    this.#prefix = prefix;
    this.#names = names;
  }

  get canName(): boolean {
    return this.#names;
  }

  /** Replaces `@@` with the schema's prefix. */
  textOf(template: string): string {
    return template.replaceAll("@@", this.#prefix);
  }

  /** Returns the statement for a text, with a name from its second use on. */
  of(template: string): Statement {
    const previous = this.#statements.get(template);
    const statement = previous === undefined ? { text: this.textOf(template) } : this.#named(previous);
    this.#statements.delete(template);
    this.#statements.set(template, statement);
    if (this.#statements.size > preparedStatements) {
      const [oldest = ""] = this.#statements.keys();
      this.#statements.delete(oldest);
    }
    return statement;
  }

  /**
   * Recovers from an error of a prepared statement; returns whether the statement may run again. Uses new names if its
   * tables have changed, and none if a pooler in transaction mode has assigned another connection.
   */
  recover(error: unknown): boolean {
    const { routine } = (error ?? {}) as { readonly routine?: unknown };
    const state = sqlState(error);
    if (state === "0A000" && routine === "RevalidateCachedQuery") this.#generation += 1;
    else if (state === "26000" || state === "42P05") this.#names = false;
    else return false;
    this.#statements.clear();
    return true;
  }

  #named(statement: Statement): Statement {
    if (statement.name !== undefined || !this.#names) return statement;
    const { text } = statement;
    const name = `fw_${createHash("sha256").update(`${this.#generation} ${text}`).digest("base64url").slice(0, 40)}`;
    return { text, name };
  }
}

export class PreparedNames {
  readonly #names = new Set<string>();

  add({ name }: Statement): void {
    if (name !== undefined) this.#names.add(name);
  }

  /** True if the connection should be replaced because it has too many prepared statements. */
  get isFull(): boolean {
    return this.#names.size > preparedStatements;
  }
}
