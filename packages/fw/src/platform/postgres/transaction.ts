import { BaseTransaction } from "../base-transaction.ts";
import type { Document, Fence, Key } from "../contract.ts";
import { isStorableId } from "../document.ts";
import { PlatformError } from "../errors.ts";
import { subjectOf } from "../pending-writes.ts";
import {
  queryIdentity,
  resultIdentities,
  querySubject,
  type QueryResults,
  type QueryArgs,
  type QueryOperation,
} from "../query-operations.ts";
import type { AskedQuestion, ReadDocument } from "./commit.ts";
import type { Sql } from "./connections.ts";
import type { SqlRow } from "./driver.ts";
import type { HeldSnapshot } from "./held-snapshot.ts";
import type { Moment } from "./moment.ts";
import type { PostgresEntities } from "./entities.ts";

interface ReadResult {
  readonly kind: string;
  readonly subject: string;
  readonly identity: string;
  readonly again: (sql: Sql, moment?: Moment) => Promise<string>;
}

/** Returns the answer to a question or throws its error. */
type Outcome = () => unknown;

/** Concurrent queries, counts and totals, which share one snapshot. */
interface QuestionTurn {
  readonly questions: ((sql: Sql, moment: Moment) => Promise<unknown>)[];
  /** The outcomes in the order of the questions. */
  readonly outcomes: Promise<readonly Outcome[]>;
}

/**
 * The maximum number of documents that one statement reads: a new one and the earlier ones. Beyond it, the transaction
 * holds a snapshot.
 */
const readAgain = 4;

/**
 * An optimistic transaction. It holds a snapshot between reads in quick succession, but no connection while the
 * application waits for something else. In a new snapshot, it first repeats all earlier reads, so that all reads see
 * one state. The commit repeats them under its locks.
 */
export class PostgresTransaction extends BaseTransaction {
  readonly #store: PostgresEntities;
  readonly #fence: Fence | undefined;
  readonly #reads = new Map<string, ReadDocument>();
  readonly #questions = new Map<string, ReadResult>();
  #snapshot: HeldSnapshot<Moment> | undefined;
  /** Questions waiting to share a snapshot. */
  #nextTurn: QuestionTurn | undefined;
  /** Reads of a transaction run one at a time, because concurrent reads could each miss what the other one has read. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(store: PostgresEntities, fence: Fence | undefined) {
    super(store);
    this.#store = store;
    this.#fence = fence;
  }

  protected answer<Name extends QueryOperation>(name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const turn = (this.#nextTurn ??= this.#newTurn());
    const position = turn.questions.push((sql, moment) => this.#ask(sql, moment, name, args)) - 1;
    return turn.outcomes.then((outcomes) => outcomes[position]?.() as QueryResults[Name]);
  }

  protected find(key: Key): Promise<Document | undefined> {
    return this.#inTurn(async () => {
      // No document can have this id.
      if (!isStorableId(key.id)) return (await this.#store.find([key]))[0];
      const isAlone = this.#snapshot?.isOpen !== true && this.#questions.size === 0 && this.#reads.size < readAgain;
      const document = isAlone
        ? await this.#findAlone(key)
        : await this.#inSnapshot(async (sql, { now }) => {
            const [row] = await this.#store.rowsNow([key], sql);
            return this.#noteRow(key, row, now);
          });
      return document;
    });
  }

  protected override end(): void {
    super.end();
    void this.#snapshot?.end();
  }

  protected async carryOut(): Promise<void> {
    const { all: writes, messages } = this.pending;
    // Each read has confirmed the earlier ones, so a read-only transaction needs no locks.
    if (writes.length === 0 && messages.length === 0 && this.#fence === undefined) return;
    const questions = [...this.#questions.values()].map(({ kind, subject, identity, again }): AskedQuestion => ({
      kind,
      subject,
      isSame: async (sql) => (await again(sql)) === identity,
    }));
    const reads = [...this.#reads.values()];
    await this.#store.commit({ reads, questions, writes, messages, fence: this.#fence });
  }

  #newTurn(): QuestionTurn {
    const questions: QuestionTurn["questions"] = [];
    const outcomes = this.#inTurn(() => {
      this.#nextTurn = undefined;
      return this.#inSnapshot(async (sql, moment) => {
        const results: Outcome[] = [];
        for (const ask of questions) results.push(await outcomeOf(ask(sql, moment)));
        return results;
      });
    });
    return { questions, outcomes };
  }

  /** Runs reads in the previous snapshot, or in a new one after checking that earlier reads are unchanged. */
  async #inSnapshot<T>(work: (sql: Sql, moment: Moment) => Promise<T>): Promise<T> {
    const previous = this.#snapshot;
    if (previous?.isOpen === true)
      try {
        return await previous.run((sql) => work(sql, previous.moment));
      } catch (error) {
        // After a database error, a new snapshot may succeed.
        if (error instanceof PlatformError) throw error;
      }
    const { result, snapshot } = await this.#store.hold(async (sql, moment) => {
      await this.#checkQuestions(sql, moment);
      this.#checkDocuments(await this.#store.rowsNow(this.#keys(), sql), moment.now);
      return work(sql, moment);
    });
    this.#snapshot = snapshot;
    if (this.hasEnded) await snapshot.end();
    return result;
  }

  /** Reads a document together with all previous ones in one statement, which sees one snapshot. */
  async #findAlone(key: Key): Promise<Document | undefined> {
    const keys = this.#keys();
    const rows = await this.#store.rows([...keys, key]);
    const { now } = this.#store;
    this.#checkDocuments(rows.slice(0, keys.length), now);
    return this.#noteRow(key, rows.at(-1), now);
  }

  #noteRow(key: Key, row: SqlRow | undefined, now: number): Document | undefined {
    const document = this.#store.documentOf(row, now);
    this.#reads.set(subjectOf(key), { key: { ...key }, version: document?.version ?? "", row });
    return document;
  }

  async #ask<Name extends QueryOperation>(
    sql: Sql,
    moment: Moment,
    name: Name,
    args: QueryArgs[Name],
  ): Promise<QueryResults[Name]> {
    const answer = await this.#store.answerIn(sql, name, args, moment);
    const subject = querySubject(name, args);
    const again = async (each: Sql, later?: Moment): Promise<string> =>
      resultIdentities[name](await this.#store.answerIn(each, name, args, later));
    const question = { kind: args[0].kind, subject, identity: resultIdentities[name](answer), again };
    this.#questions.set(queryIdentity(subject, args), question);
    return answer;
  }

  #keys(): Key[] {
    return [...this.#reads.values()].map(({ key }) => key);
  }

  #checkDocuments(rows: readonly (SqlRow | undefined)[], now: number): void {
    for (const [i, { key, version }] of [...this.#reads.values()].entries())
      if (this.#store.versionOf(rows[i], now) !== version) this.lose(subjectOf(key));
  }

  async #checkQuestions(sql: Sql, moment: Moment): Promise<void> {
    for (const { subject, identity, again } of this.#questions.values())
      if ((await again(sql, moment)) !== identity) this.lose(subject);
  }

  #inTurn<T>(read: () => Promise<T>): Promise<T> {
    const reading = this.#reading.then(() => {
      this.refuseIfEnded();
      return read();
    });
    this.#reading = reading.catch(() => {});
    return reading;
  }
}

/** Captures an invalid question's error, so that others do not fail. Database errors make the turn run again. */
function outcomeOf(answer: Promise<unknown>): Promise<Outcome> {
  return answer.then(
    (result) => () => result,
    (error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
      return () => {
        throw error;
      };
    },
  );
}
