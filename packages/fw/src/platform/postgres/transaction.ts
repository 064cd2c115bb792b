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
import type { PostgresEntities } from "./entities.ts";

interface ReadResult {
  readonly kind: string;
  readonly subject: string;
  readonly identity: string;
  readonly again: (sql: Sql) => Promise<string>;
}

/** Returns the answer of a question or throws its error. */
type Outcome = () => unknown;

/** Questions of the same moment. One snapshot answers all of them, after one check of earlier reads. */
interface QuestionTurn {
  readonly questions: ((sql: Sql) => Promise<unknown>)[];
  /** In the order of the questions. */
  readonly outcomes: Promise<readonly Outcome[]>;
}

/**
 * An optimistic transaction: it holds no connection while the application's code runs. Each read verifies all earlier
 * reads in the same snapshot, so that all see one state; the commit verifies again under its locks.
 */
export class PostgresTransaction extends BaseTransaction {
  readonly #store: PostgresEntities;
  readonly #fence: Fence | undefined;
  readonly #reads = new Map<string, ReadDocument>();
  readonly #questions = new Map<string, ReadResult>();
  /** The questions that wait for a snapshot together. */
  #nextTurn: QuestionTurn | undefined;
  /** Reads of a transaction run one after another: of two concurrent reads, each could miss what the other has read. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(store: PostgresEntities, fence: Fence | undefined) {
    super(store);
    this.#store = store;
    this.#fence = fence;
  }

  protected answer<Name extends QueryOperation>(name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const turn = (this.#nextTurn ??= this.#newTurn());
    const position = turn.questions.push((sql) => this.#ask(sql, name, args)) - 1;
    return turn.outcomes.then((outcomes) => outcomes[position]?.() as QueryResults[Name]);
  }

  protected find(key: Key): Promise<Document | undefined> {
    return this.#inTurn(async () => {
      // No document can have this id.
      if (!isStorableId(key.id)) return (await this.#store.find([key]))[0];
      const keys = this.#keys();
      const rows =
        this.#questions.size === 0
          ? await this.#store.rows([...keys, key])
          : await this.#store.snapshot(async (sql) => {
              await this.#checkQuestions(sql);
              return this.#store.rowsNow([...keys, key], sql);
            });
      this.#checkDocuments(rows.slice(0, keys.length));
      const row = rows.at(-1);
      const document = this.#store.documentOf(row);
      this.#reads.set(subjectOf(key), { key: { ...key }, version: document?.version ?? "", row });
      return document;
    });
  }

  protected async carryOut(): Promise<void> {
    const { all: writes, messages } = this.pending;
    // All reads have seen the state of the last one, so a transaction without writes takes no locks.
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
      return this.#store.snapshot(async (sql) => {
        await this.#checkQuestions(sql);
        this.#checkDocuments(await this.#store.rowsNow(this.#keys(), sql));
        const results: Outcome[] = [];
        for (const ask of questions) results.push(await outcomeOf(ask(sql)));
        return results;
      });
    });
    return { questions, outcomes };
  }

  async #ask<Name extends QueryOperation>(sql: Sql, name: Name, args: QueryArgs[Name]): Promise<QueryResults[Name]> {
    const answer = await this.#store.answerIn(sql, name, args);
    const subject = querySubject(name, args);
    const again = async (each: Sql): Promise<string> =>
      resultIdentities[name](await this.#store.answerIn(each, name, args));
    const question = { kind: args[0].kind, subject, identity: resultIdentities[name](answer), again };
    this.#questions.set(queryIdentity(subject, args), question);
    return answer;
  }

  #keys(): Key[] {
    return [...this.#reads.values()].map(({ key }) => key);
  }

  #checkDocuments(rows: readonly (SqlRow | undefined)[]): void {
    for (const [i, { key, version }] of [...this.#reads.values()].entries())
      if (this.#store.versionOf(rows[i]) !== version) this.lose(subjectOf(key));
  }

  async #checkQuestions(sql: Sql): Promise<void> {
    for (const { subject, identity, again } of this.#questions.values())
      if ((await again(sql)) !== identity) this.lose(subject);
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

/** An invalid question must not fail the others of its turn. After an error of the database, the turn is run again. */
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
