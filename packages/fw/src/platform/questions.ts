import type { EntityStore, Page, Query, Total } from "./contract.ts";
import { pageIdentity } from "./query-plan.ts";
import { totalIdentity } from "./total.ts";

/** What can be asked of the documents of a kind. */
export type Question = "query" | "count" | "total";

/** What a question is asked with, its query first. */
export type Given = { readonly [Name in Question]: Parameters<EntityStore[Name]> };

/** What a question is answered with. */
export interface Answers {
  readonly query: Page;
  readonly count: number;
  readonly total: Total;
}

/** Who answers questions, whichever it is, in one way. */
export abstract class Asked implements Pick<EntityStore, Question> {
  query(query: Query): Promise<Page> {
    return this.ask("query", [query]);
  }

  count(...given: Given["count"]): Promise<number> {
    return this.ask("count", given);
  }

  total(...given: Given["total"]): Promise<Total> {
    return this.ask("total", given);
  }

  protected abstract ask<Name extends Question>(name: Name, given: Given[Name]): Promise<Answers[Name]>;
}

/** The same text for the same answers. */
export const identities: { readonly [Name in Question]: (answer: Answers[Name]) => string } = {
  query: pageIdentity,
  count: String,
  total: totalIdentity,
};

/** A question, as sentences name it. */
export function subjectOfQuestion(name: Question, [{ kind }]: Given[Question]): string {
  return `a ${name === "total" ? "sum" : name} of ${kind}`;
}
