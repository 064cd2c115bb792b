import { setImmediate } from "node:timers/promises";
import type { Checker, CheckedType } from "../checker/checker.ts";
import { questionKey } from "../schema/type-reading.ts";
import { typeProblem } from "../schema/type-problem.ts";
import type { PendingQuestion } from "../schema/conversion.ts";
import type { ResolvedType, TypeResolver } from "../schema/schema.ts";
import { parseModule } from "../source/parse.ts";

/** Maximum rounds of questions for a type; each round resolves more of it. */
const mostRounds = 12;
/** Milliseconds of reading before the questions so far are sent. */
const turn = 10;

/**
 * Repeats readings until the checker has no more questions to answer. The checker works while the rest of a round is
 * read.
 */
export async function resolveUntilStable<T>(
  resolver: TypeResolver,
  checker: Checker,
  readings: readonly (() => ResolvedType<T>)[],
): Promise<readonly ResolvedType<T>[]> {
  const results: ResolvedType<T>[] = [];
  let open: readonly number[] = [...readings.keys()];
  for (let round = 0; open.length > 0 && round <= mostRounds; round += 1) {
    const questions = new Questions(checker);
    let since = performance.now();
    for (const index of open) {
      const result = readings[index]?.();
      if (!result) continue;
      results[index] = result;
      questions.add(result.questions);
      if (performance.now() - since < turn) continue;
      questions.send();
      await setImmediate();
      since = performance.now();
    }
    await questions.answer(resolver);
    open = open.filter((index) => (results[index]?.questions.length ?? 0) > 0);
  }
  return results.map((result) => (result.questions.length === 0 ? result : unsettled(result)));
}

function unsettled<T>(result: ResolvedType<T>): ResolvedType<T> {
  const refusal = typeProblem("unresolved", "it depends on itself", result.at);
  return { ...result, questions: [], refusals: [...result.refusals, refusal] };
}

/** The questions of one round, without duplicates. Their answers apply in the next round. */
class Questions {
  readonly #checker: Checker;
  readonly #asked = new Set<string>();
  readonly #answers: Promise<(resolver: TypeResolver) => void>[] = [];
  #waiting: PendingQuestion[] = [];

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  add(questions: readonly PendingQuestion[]): void {
    for (const each of questions) {
      const key = questionKey(each.question);
      if (this.#asked.has(key)) continue;
      this.#asked.add(key);
      this.#waiting.push(each);
    }
  }

  send(): void {
    if (this.#waiting.length === 0) return;
    const answers = askAll(this.#checker, this.#waiting);
    // `answer` awaits the same promise and reports its failure.
    answers.catch(() => undefined);
    this.#answers.push(answers);
    this.#waiting = [];
  }

  async answer(resolver: TypeResolver): Promise<void> {
    this.send();
    for (const keep of await Promise.all(this.#answers)) keep(resolver);
  }
}

/** Asks the checker, and returns a function that stores the answers in a resolver. */
async function askAll(checker: Checker, open: readonly PendingQuestion[]): Promise<(resolver: TypeResolver) => void> {
  const of = (form: PendingQuestion["form"]): PendingQuestion["question"][] =>
    open.filter((each) => each.form === form).map(({ question }) => question);
  const [texts, walks] = [of("text"), of("data")];
  const [printed, walked] = await Promise.all([
    texts.length === 0 ? [] : checker.texts(texts),
    walks.length === 0 ? [] : checker.walks(walks),
  ]);
  return (resolver) => {
    for (const [index, each] of texts.entries()) resolver.texts.set(questionKey(each), parsePrinted(printed[index]));
    for (const [index, each] of walks.entries()) resolver.answers.set(questionKey(each), walked[index] ?? unanswered);
  };
}

const unanswered: CheckedType = {
  nodes: [{ kind: "other", text: "it is in no file that tsconfig.json includes" }],
  root: 0,
};

function parsePrinted(text: string | undefined): ReturnType<typeof parseModule> {
  return parseModule("printed.ts", text === undefined ? "" : `type T = ${text}`);
}
