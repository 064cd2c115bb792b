import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../../lib/thrown.ts";
import { PendingCalls } from "../pending-calls.ts";
import type { Clock } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import type { DatabaseAddress } from "./address.ts";
import type { Driver, DriverClient, DriverPool, PooledClient, Sql, SqlParameter, SqlResult, SqlRow } from "./driver.ts";
import { abandonSql, committedResult, newProofKey, outcomeSql, proofSql } from "./commit-proof.ts";
import { HeldSnapshot } from "./held-snapshot.ts";
import { Listener } from "./listener.ts";
import { isCancelled, isConnectionFailure, isExhausted, isLostRace, isReadOnly } from "./failures.ts";
import { PreparedNames, sessionSettings, Statements } from "./statements.ts";

/** Milliseconds for which a call is retried while the database is unreachable, for example during a restart. */
const reachMs = 20_000;

/** Upper bound of the pause before the first retry, in milliseconds. Doubles each time, up to `pauseCeilingMs`. */
const pauseMs = 25;
const pauseCeilingMs = 1_000;

/** Milliseconds to wait for a connection. */
const connectMs = 5_000;

export type { Sql } from "./driver.ts";

export interface WriteSql extends Sql {
  /** The version of the index registry, read after the locks were acquired. */
  readonly epoch: string;
}

/** Thrown if a commit gets no response. */
class LostCommit extends Error {
  readonly proofKey: string;
  /** Returns the result of the call if the commit succeeded with this token. */
  readonly resultOf: (token: string) => unknown;

  constructor(proofKey: string, resultOf: (token: string) => unknown, message: string) {
    super(message);
    this.proofKey = proofKey;
    this.resultOf = resultOf;
  }
}

/** The result of a single statement: its rows, or its proof's token if the response was lost. */
export type SingleResult = { readonly rows: readonly SqlRow[] } | { readonly token: string };

/** The maximum number of retries of a call because the server refuses its prepared statements. */
const preparedRetries = 3;

export class Connections {
  readonly address: DatabaseAddress;
  /** True if the role owns the tables. Any other role reaches only the rows that it has been granted. */
  readonly isOwner: boolean;
  readonly listener: Listener = new Listener(this);
  readonly #driver: Driver;
  readonly #pool: DriverPool;
  readonly #pendingCalls = new PendingCalls();
  readonly #clock: Clock | undefined;
  readonly #statements: Statements;
  readonly #prepared = new WeakMap<DriverClient, PreparedNames>();
  /** Held snapshots that no read is using. A call that needs a connection ends one of them. */
  readonly #waitingSnapshots = new Set<HeldSnapshot<unknown>>();

  /** Leases and messages follow the given clock, or by default the database's clock, which all machines share. */
  constructor(driver: Driver, address: DatabaseAddress, clock: Clock | undefined, isOwner = true) {
    this.#driver = driver;
    this.address = address;
    this.isOwner = isOwner;
    this.#clock = clock;
    this.#statements = new Statements(`"${address.schema}".`, address.prepares);
    this.#pool = new driver.Pool({ ...this.#options(), max: address.connections, idleTimeoutMillis: 60_000 });
    // A restart of the database closes idle connections; the next call opens another.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** The current time in milliseconds, as an SQL expression. */
  get nowSql(): string {
    return this.#clock === undefined
      ? "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
      : `${Math.floor(this.#clock.now())}::bigint`;
  }

  /** Milliseconds since 1970 to pass to the schema's functions; null to let them use the database's clock. */
  get now(): number | null {
    return this.#clock === undefined ? null : Math.floor(this.#clock.now());
  }

  refuseIfClosed(): void {
    this.#pendingCalls.refuseIfClosed();
  }

  /** Tracks a call until it ends, so that `close` waits for it. */
  during<T>(call: () => Promise<T>): Promise<T> {
    return this.#pendingCalls.during(call);
  }

  /** Runs one statement as `runRepeatable` does, and tracks the call. */
  query(text: string, values?: readonly SqlParameter[]): Promise<readonly SqlRow[]> {
    return this.during(() => this.runRepeatable(text, values));
  }

  /** Runs one statement that is safe to repeat: a read, or a write that may take effect twice. */
  runRepeatable(text: string, values?: readonly SqlParameter[]): Promise<readonly SqlRow[]> {
    return this.#withRetries((client) => this.#sqlOf(client).rows(text, values));
  }

  /** Checks that the database responds, without retrying. */
  async ping(): Promise<void> {
    await this.attempt("SELECT 1");
  }

  /** Runs one statement once, without retrying. Its outcome may remain unknown. */
  async attempt(text: string, values?: readonly SqlParameter[]): Promise<void> {
    // Does not use a prepared statement, because the call would fail if a pooler lost it.
    await this.#once((client) => client.query(this.#statements.textOf(text), values));
  }

  /** Runs read-only statements in one snapshot of the database. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#withRetries(async (client) => {
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      const result = await work(this.#sqlOf(client));
      await client.query("COMMIT");
      return result;
    });
  }

  /** Runs read-only statements in a database snapshot, which stays open for more statements. */
  async hold<T, Moment>(
    moment: Moment,
    work: (sql: Sql) => Promise<T>,
  ): Promise<{ readonly result: T; readonly snapshot: HeldSnapshot<Moment> }> {
    const { client, result } = await this.#withRetries(async (each) => {
      await each.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      return { client: each, result: await work(this.#sqlOf(each)) };
    }, "kept");
    const release = async (cause: unknown): Promise<void> => {
      if (cause !== undefined) return this.#rollBack(client, cause);
      await client.query("COMMIT").then(
        () => this.#release(client),
        () => client.release(true),
      );
    };
    return {
      result,
      snapshot: new HeldSnapshot(moment, { sql: this.#sqlOf(client), release }, this.#waitingSnapshots),
    };
  }

  /** True if connections have `sessionSettings`. */
  get hasSettings(): boolean {
    return this.#statements.canName;
  }

  /**
   * Runs a statement as its own transaction. A statement that writes must add its result to `commits` under `proofKey`.
   * Retries like `write`.
   */
  single(
    statementOf: (proofKey: string) => { readonly text: string; readonly values: readonly SqlParameter[] },
  ): Promise<SingleResult> {
    return this.#withRetries(async (client): Promise<SingleResult> => {
      const proofKey = newProofKey();
      const { text, values } = statementOf(proofKey);
      try {
        return { rows: await this.#sqlOf(client).rows(text, values) };
      } catch (error) {
        if (!isConnectionFailure(error) || isReadOnly(error)) throw error;
        throw new LostCommit(proofKey, (token): SingleResult => ({ token }), messageOf(error));
      }
    });
  }

  /**
   * Runs a transaction that first takes these locks. Reruns work that was not committed because of a lost connection or
   * a deadlock. If COMMIT gets no response, the proof decides whether it was committed. Throws a PlatformError
   * `unreachable` if the outcome remains unknown.
   */
  write<T>(locks: string, work: (sql: WriteSql) => Promise<T>): Promise<T> {
    return this.#withRetries(async (client) => {
      const { proofKey, epoch } = await this.#begin(client, locks);
      const result = await work({ ...this.#sqlOf(client), epoch });
      try {
        await client.query("COMMIT");
      } catch (error) {
        throw isConnectionFailure(error) ? new LostCommit(proofKey, () => result, messageOf(error)) : error;
      }
      return result;
    });
  }

  /** Runs a transaction in a schema that may have no tables yet, and therefore no proofs: it may take effect twice. */
  script(locks: string, work: (sql: Sql) => Promise<void>): Promise<void> {
    return this.#withRetries(async (client) => {
      await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${locks}`);
      await work(this.#sqlOf(client));
      await client.query("COMMIT");
    });
  }

  /** Opens a connection outside the pool, for LISTEN. */
  async connect(): Promise<DriverClient> {
    const client = new this.#driver.Client(this.#options());
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  /** Rejects further calls; resolves when the calls in flight have ended and all connections are closed. */
  async close(): Promise<void> {
    await this.listener.close();
    await this.#pendingCalls.close();
    await this.#pool.end();
  }

  #options() {
    const { connectionString } = this.address;
    return { connectionString, application_name: "fw", keepAlive: true, connectionTimeoutMillis: connectMs };
  }

  #sqlOf(client: DriverClient): Sql {
    return {
      rows: async (text, values) => {
        const statement = this.#statements.of(text);
        this.#prepared.get(client)?.add(statement);
        const result = (await client.query(values === undefined ? statement.text : statement, values)) as SqlResult;
        return result.rows;
      },
    };
  }

  /** Begins a transaction in one round trip, which is possible because the text contains numbers, not parameters. */
  async #begin(client: DriverClient, locks: string): Promise<{ readonly proofKey: string; readonly epoch: string }> {
    const proofKey = newProofKey();
    const text = `BEGIN ISOLATION LEVEL READ COMMITTED; ${locks} ${proofSql(proofKey)}`;
    const results = (await client.query(this.#statements.textOf(text))) as readonly SqlResult[];
    return { proofKey, epoch: String(results.at(-1)?.rows[0]?.["epoch"]) };
  }

  /**
   * Returns the token of a transaction whose COMMIT got no response. If it was not committed, abandons it and returns
   * undefined.
   */
  async #tokenOf(proofKey: string): Promise<string | undefined> {
    const until = performance.now() + reachMs;
    for (let attempt = 0; performance.now() < until; attempt++) {
      const outcome = await this.#once(async (client) => {
        await client.query(this.#statements.textOf(abandonSql(proofKey)));
        return this.#sqlOf(client).rows(outcomeSql, [proofKey]);
      }).catch(() => []);
      const [row] = outcome;
      if (row !== undefined) return committedResult(row["token"]);
      await wait(pauseOf(attempt));
    }
    throw this.#unreachable("a commit got no response, so its outcome is unknown");
  }

  async #withRetries<T>(work: (client: PooledClient) => Promise<T>, connection?: "kept"): Promise<T> {
    const until = performance.now() + reachMs;
    let unprepared = 0;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(work, connection);
      } catch (error) {
        if (error instanceof PlatformError) throw error;
        if (isCancelled(error)) throw this.#unreachable(messageOf(error));
        if (error instanceof LostCommit) {
          // The lost connection is already closed, and a crash closes all others, so this query uses a new one.
          const token = await this.#tokenOf(error.proofKey);
          if (token !== undefined) return error.resultOf(token) as T;
        } else if (unprepared < preparedRetries && this.#statements.recover(error)) {
          unprepared += 1;
          continue;
        } else if (!isLostRace(error) && !isConnectionFailure(error) && !isExhausted(error)) throw error;
        // The statement itself may break the connection each time, so lost commits have the same deadline.
        if (!isLostRace(error) && performance.now() >= until) throw this.#unreachable(messageOf(error));
        await wait(pauseOf(attempt));
      }
    }
  }

  async #once<T>(work: (client: PooledClient) => Promise<T>, connection?: "kept"): Promise<T> {
    if (this.#pool.idleCount === 0 && this.#pool.totalCount >= this.address.connections) this.#endSnapshot();
    const client = await this.#pool.connect();
    try {
      if (!this.#prepared.has(client)) await this.#setUp(client);
      const result = await work(client);
      if (connection !== "kept") this.#release(client);
      return result;
    } catch (error) {
      await this.#rollBack(client, error);
      throw error;
    }
  }

  #endSnapshot(): void {
    const [snapshot] = this.#waitingSnapshots;
    void snapshot?.end();
  }

  #release(client: PooledClient): void {
    client.release(this.#prepared.get(client)?.isFull === true);
  }

  async #setUp(client: PooledClient): Promise<void> {
    if (this.#statements.canName) await client.query(sessionSettings);
    this.#prepared.set(client, new PreparedNames());
  }

  async #rollBack(client: PooledClient, error: unknown): Promise<void> {
    if (error instanceof LostCommit || isConnectionFailure(error)) return client.release(true);
    await client.query("ROLLBACK").then(
      () => client.release(),
      () => client.release(true),
    );
  }

  #unreachable(why: string): PlatformError {
    return new PlatformError("unreachable", `the database ${this.address.displayName} could not be reached: ${why}`);
  }
}

function pauseOf(attempt: number): number {
  return Math.random() * Math.min(pauseCeilingMs, pauseMs * 2 ** attempt);
}
