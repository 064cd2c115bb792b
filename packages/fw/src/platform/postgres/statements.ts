import { createHash } from "node:crypto";
import { sqlState } from "./failures.ts";

/** Limit: texts of statements that one process or connection to PostgreSQL keeps prepared. */
const preparedStatements = 200;

/**
 * Settings of connections that keep prepared statements. Every statement of fw reads by keys and in the order of an
 * index, so its plan does not depend on its values or on the sizes of tables: one that was made when a table was empty
 * stays good.
 */
export const sessionSettings: string = [
  "SET plan_cache_mode = force_generic_plan",
  ...["seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"].map((each) => `SET enable_${each} = off`),
  // Statements without an index for them would otherwise be compiled, because their cost counts as very high.
  "SET jit = off",
].join("; ");

/** A statement as the driver takes it. */
export interface Statement {
  readonly text: string;
  /** The name of the prepared statement; without one, the server plans the statement each time. */
  readonly name?: string;
}

/**
 * Gives names to statements that run again, by their text: a connection prepares a named statement once. The same name
 * has the same text in every process, even behind a pooler that mixes up their connections.
 */
export class Statements {
  readonly #prefix: string;
  /** In the order of their last use. */
  readonly #statements = new Map<string, Statement>();
  #names: boolean;
  /** Changes when the server has refused to run a prepared statement. */
  #generation = 0;

  /** The prefix replaces `@@` in each text. */
  constructor(prefix: string, names: boolean) {
    this.#prefix = prefix;
    this.#names = names;
  }

  get canName(): boolean {
    return this.#names;
  }

  /** Puts the prefix of the schema in place of `@@`. */
  textOf(template: string): string {
    return template.replaceAll("@@", this.#prefix);
  }

  /** The statement of a text; named from its second use on. */
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
   * Returns true if a statement failed because of how it was prepared, so that it can run again: its tables have
   * changed, or a pooler in transaction mode has given it another connection.
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

  /** True if the connection should be replaced, because it keeps too many statements. */
  get isFull(): boolean {
    return this.#names.size > preparedStatements;
  }
}
