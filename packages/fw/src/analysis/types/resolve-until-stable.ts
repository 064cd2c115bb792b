import { setImmediate } from "node:timers/promises";
import type { Checker, CheckedType } from "../checker/checker.ts";
import { questionKey } from "../schema/reading.ts";
import { typeProblem } from "../schema/type-problem.ts";
import type { Unsettled } from "../schema/pass.ts";
import type { Resolved, Resolver } from "../schema/schema.ts";
import { parseModule } from "../source/parse.ts";

/** Rounds of questions that a type can lead to; each makes it smaller. */
const mostRounds = 12;
/** Milliseconds of reading after which its questions are sent. */
const turn = 10;

/** Reads until the checker has nothing left to say. It answers while the rest of a round is read. */
export async function resolveUntilStable<T>(
  resolver: Resolver,
  checker: Checker,
  readings: readonly (() => Resolved<T>)[],
): Promise<readonly Resolved<T>[]> {
  const results: Resolved<T>[] = [];
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

function unsettled<T>(result: Resolved<T>): Resolved<T> {
  const refusal = typeProblem("unresolved", "it depends on itself", result.at);
  return { ...result, questions: [], refusals: [...result.refusals, refusal] };
}

/** The questions of one round, each asked once. Answers count for the next round only. */
class Questions {
  readonly #checker: Checker;
  readonly #asked = new Set<string>();
  readonly #answers: Promise<(resolver: Resolver) => void>[] = [];
  #waiting: Unsettled[] = [];

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  add(questions: readonly Unsettled[]): void {
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
    // A failure is met where the answers are waited for.
    answers.catch(() => undefined);
    this.#answers.push(answers);
    this.#waiting = [];
  }

  async answer(resolver: Resolver): Promise<void> {
    this.send();
    for (const keep of await Promise.all(this.#answers)) keep(resolver);
  }
}

/** Asks for all, and tells how a resolver keeps what comes of it. */
async function askAll(checker: Checker, open: readonly Unsettled[]): Promise<(resolver: Resolver) => void> {
  const of = (form: Unsettled["form"]): Unsettled["question"][] =>
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
