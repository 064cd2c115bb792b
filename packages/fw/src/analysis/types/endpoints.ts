import type { Schema, TypeTable } from "../../model/schema.ts";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import type { Checker, CheckedType } from "../checker/checker.ts";
import type { DeclaredCall } from "../declared.ts";
import type { ParsedAuthenticator } from "../readers/authenticator.ts";
import type { EndpointTypes, ParsedEndpoint } from "../readers/endpoint.ts";
import type { Parsed } from "../readers/parsed.ts";
import type { ParsedPolicy } from "../readers/policy.ts";
import type { ParsedTenant } from "../readers/tenant.ts";
import { hasDecision, isDestination, isEndpoint } from "../rules/select.ts";
import { markLength, questionKey } from "../schema/type-reading.ts";
import { createResolver, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import type { EndpointSite } from "../shape/endpoint-site.ts";
import { type RequestFacts, requestOf } from "../shape/request.ts";
import { messagesOf, responseOf } from "../shape/response.ts";
import type { Project } from "../source/project.ts";
import { entityQuery } from "./entities.ts";
import { destinationQuery, errorShapeQuery, mailQuery } from "./messages.ts";
import { TypeQuery } from "./type-query.ts";
import { setImmediate } from "node:timers/promises";
import { typeProblem } from "../schema/type-problem.ts";
import type { PendingQuestion } from "../schema/conversion.ts";
import { parseModule } from "../source/parse.ts";

/** Adds the types of requests, responses, entity fields and messages to declarations. Never rejects. */
export async function withTypes(
  project: Project,
  checker: Checker,
  declared: readonly DeclaredCall[],
): Promise<readonly DeclaredCall[]> {
  const resolver = createResolver(project);
  const pending = declared.map((each) => {
    const { read } = each;
    if (read?.kind === "entity") return entityQuery(resolver, each, read);
    if (read?.kind === "errors") return errorShapeQuery(resolver, each, read);
    if (read && (isDestination(read) || read.kind === "feed")) return destinationQuery(resolver, each, read);
    if (read?.kind === "mail") return mailQuery(resolver, each, read);
    return read && readsRequests(read) ? requestQuery(resolver, each, read) : undefined;
  });
  const failure = await settle(
    resolver,
    checker,
    pending.flatMap((each) => each?.readings ?? []),
  );
  return declared.map((each, index) => pending[index]?.settled(failure) ?? each);
}

type RequestReader = ParsedEndpoint | ParsedAuthenticator | ParsedPolicy | ParsedTenant;

/** True for declarations whose code receives a request. A RequireRole and a RequireMember have no code. */
function readsRequests(read: Parsed): read is RequestReader {
  return isEndpoint(read) || read.kind === "authenticator" || read.kind === "tenant" || hasDecision(read);
}

/** Settles all readings. Returns the error if the checker fails, otherwise undefined. */
async function settle(
  resolver: TypeResolver,
  checker: Checker,
  readings: readonly (() => ResolvedType<unknown>)[],
): Promise<Error | undefined> {
  try {
    await resolveUntilStable(resolver, checker, readings);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new CheckerFailure(String(error));
  }
}

/** Reads the request type of a declaration that receives requests, and an endpoint's response or messages. */
function requestQuery(
  resolver: TypeResolver,
  declared: DeclaredCall,
  read: RequestReader,
): TypeQuery<[RequestFacts, ...Schema[]]> {
  const site = siteOf(declared, read);
  return new TypeQuery(declared, {
    reads: [() => requestOf(resolver, site), ...answersOf(resolver, site)],
    filled: ([request, ...answers]) => ({
      read: {
        ...read,
        types: {
          request: request.value,
          requestRefusals: request.refusals,
          ...answerTypes(answers),
          responseRefusals: answers.flatMap(({ refusals }) => refusals),
        },
      },
      types: Object.assign({}, request.types, ...answers.map(({ types }) => types)) as TypeTable,
    }),
    answered: () => {
      const printed = printedOf(resolver, site);
      return printed === undefined ? {} : { printed };
    },
  });
}

/** Lists the readers of response types: an endpoint's response, or a socket's messages. Other code has none. */
function answersOf(resolver: TypeResolver, site: EndpointSite): readonly (() => ResolvedType<Schema>)[] {
  if (site.kind === "authenticator" || site.kind === "policy" || site.kind === "tenant") return [];
  if (site.kind !== "socket") return [() => responseOf(resolver, site)];
  return [() => messagesOf(resolver, site, "received"), () => messagesOf(resolver, site, "sent")];
}

function answerTypes([response, sent]: readonly ResolvedType<Schema>[]): Pick<
  EndpointTypes,
  "response" | "replies" | "messages"
> {
  if (response === undefined) return { response: { kind: "void" } };
  if (sent) return { response: { kind: "void" }, messages: { received: response.value, sent: sent.value } };
  const { value, replies } = response;
  return { response: value, ...(replies && { replies }) };
}

/** Returns the endpoint's type as the checker printed it; undefined if the checker was not asked. */
function printedOf({ texts }: TypeResolver, { module, name }: EndpointSite): string | undefined {
  return texts.get(questionKey({ path: module.path, start: name.start - markLength(module) }))?.text;
}

function siteOf({ call: { module, call } }: DeclaredCall, read: RequestReader): EndpointSite {
  const binding = module.bindings.get(read.declaration.variable);
  const name = binding?.kind === "variable" ? binding.node.id : call;
  const segments = "route" in read ? (read.route?.segments ?? []) : [];
  const params = segments.flatMap((segment) => ("param" in segment ? [segment.param] : []));
  return { kind: read.kind, module, call, name, params };
}

/** Maximum rounds of questions for a type; each round resolves more of it. */
const mostRounds = 12;
/** Milliseconds of reading after which the collected questions are sent. */
const turn = 10;

/**
 * Repeats readings until they have no more questions for the checker, at most `mostRounds` times. The checker works
 * while the rest of a round is read.
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
