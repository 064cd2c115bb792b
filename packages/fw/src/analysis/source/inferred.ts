import type { Checker } from "./checker.ts";
import type { ESTree } from "rolldown/utils";
import { parseModule } from "./parse.ts";
import { fromChecked } from "./schema-checked.ts";
import { evaluate } from "./schema-evaluate.ts";
import { markLength, NeedsChecker, questionKey, refused } from "./schema-reading.ts";
import { refusalOf } from "./schema-refusal.ts";
import type { Resolved, Resolver, Unsettled } from "./schema.ts";
import type { Place, Type } from "./schema-type.ts";

/**
 * A type argument of a declared constant (`EndpointDeclaration<Req, Res>`), asked of the checker: first as text,
 * and as data where the text has names that cannot be followed.
 */
export function inferredArgument(resolver: Resolver, name: Place, argument: number): Type {
  const { path } = name.module;
  const whole = { path, start: name.start - markLength(name.module) };
  const around = { ...whole, argument };
  resolver.reading.touched.add(path);
  const walked = resolver.answers.get(questionKey(around));
  if (walked) return fromChecked(walked, name);
  const printed = resolver.texts.get(questionKey(whole));
  if (!printed) throw new NeedsChecker(whole, "text");
  const node = argumentNode(printed.program, argument);
  if (!node)
    return refused("unresolved", printed.text === "" ? "it is in no file that tsconfig.json includes" : printed.text);
  return evaluate(resolver.reading, node, { module: { ...printed, path }, parameters: new Map(), around, place: name });
}

function argumentNode(program: ESTree.Program, argument: number): ESTree.TSType | undefined {
  const [statement] = program.body;
  const node = statement?.type === "TSTypeAliasDeclaration" ? statement.typeAnnotation : undefined;
  const isReference = node?.type === "TSImportType" || node?.type === "TSTypeReference";
  return isReference ? node.typeArguments?.params[argument] : undefined;
}

/** Rounds of questions that a type can lead to; each makes it smaller. */
const mostRounds = 12;

/** Reads until the checker has nothing left to say: every round puts the questions of all readings at once. */
export async function settleAll<T>(
  resolver: Resolver,
  checker: Checker,
  readings: readonly (() => Resolved<T>)[],
): Promise<readonly Resolved<T>[]> {
  const results = readings.map((read) => read());
  for (let round = 0; round < mostRounds; round += 1) {
    const open = [...results.keys()].filter((index) => (results[index]?.questions.length ?? 0) > 0);
    if (open.length === 0) return results;
    await answer(
      resolver,
      checker,
      open.flatMap((index) => results[index]?.questions ?? []),
    );
    for (const index of open) {
      const again = readings[index]?.();
      if (again) results[index] = again;
    }
  }
  return results.map((result) => (result.questions.length === 0 ? result : unsettled(result)));
}

function unsettled<T>(result: Resolved<T>): Resolved<T> {
  const refusal = refusalOf("unresolved", "it depends on itself", result.at);
  return { ...result, questions: [], refusals: [...result.refusals, refusal] };
}

async function answer(resolver: Resolver, checker: Checker, open: readonly Unsettled[]): Promise<void> {
  const texts = new Map<string, Unsettled>();
  const walks = new Map<string, Unsettled>();
  for (const each of open) (each.form === "text" ? texts : walks).set(questionKey(each.question), each);
  const [printed, walked] = await Promise.all([
    texts.size === 0 ? [] : checker.texts([...texts.values()].map(({ question }) => question)),
    walks.size === 0 ? [] : checker.walks([...walks.values()].map(({ question }) => question)),
  ]);
  for (const [index, key] of [...texts.keys()].entries()) resolver.texts.set(key, parsePrinted(printed[index]));
  for (const [index, key] of [...walks.keys()].entries()) resolver.answers.set(key, walked[index] ?? unanswered);
}

const unanswered = {
  nodes: [{ kind: "other", text: "it is in no file that tsconfig.json includes" }],
  root: 0,
} as const;

function parsePrinted(text: string | undefined): ReturnType<typeof parseModule> {
  return parseModule("printed.ts", text === undefined ? "" : `type T = ${text}`);
}
