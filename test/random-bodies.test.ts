import { Ajv2020 } from "ajv/dist/2020.js";
import ts from "typescript-6";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAppBench, type AppBench } from "../packages/fw/src/analysis/testing/app-bench.ts";
import { generateClient } from "../packages/fw/src/generate/client/client.ts";
import { openApi, type OpenApi } from "../packages/fw/src/generate/openapi/document.ts";
import { bundled, outcome } from "../packages/fw/src/generate/testing/decoding.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import type { App } from "../packages/fw/src/model/app.ts";
import { allOfKind } from "../packages/fw/src/model/declarations.ts";
import { parseJSON } from "../packages/fw/src/runtime/body/json.ts";
import { Chance, exactly, head, keeps, textOf, typeOf, valueOf } from "./types/random.ts";

let bench: AppBench;
beforeAll(async () => {
  bench = await openAppBench();
});
afterAll(() => bench.close());

const appOf = (type: string): string => `-- shop/shop.ts --
import { API } from "fw";
${head}
export type Self = ${type};
export const take = API("POST /take", (_ctx, { v }: { v: Self }): void => void v);
export const give = API("POST /give", (_ctx, { v }: { v: Self }): { v: Self } => ({ v }));
void words;
`;

/** A generated client, and values that the application accepts. */
interface Accepted {
  readonly type: string;
  readonly client: string;
  readonly values: readonly unknown[];
}

test("of types with constraints at random the OpenAPI document takes what is decoded and nothing that misses a constraint, the client all of it, and every answer is valid", async () => {
  const chance = new Chance(Number(process.env["FW_SEED"] ?? 7));
  const accepted: Accepted[] = [];
  const wrong: string[] = [];
  for (let remaining = tries(16); remaining > 0; remaining--) {
    const type = typeOf(chance, 4);
    const { app, diagnostics } = await bench.analyze(appOf(textOf(type)));
    if (diagnostics.length > 0) continue;
    const descriptions = await bench.descriptions();
    const client = generateClient(app, descriptions);
    if ("refusals" in client) throw new Error(textOf(type));
    const decodes = decoderOf(app);
    const document = openApi(app, descriptions);
    const isValid = validatorOf(document);
    const answerTo = answersOf(app);
    const isAnswer = answerValidatorOf(document);
    const isLoose = choosesAmongObjects(document);
    const values = Array.from({ length: 16 }, () => valueOf(chance, type, type, 6).json).flatMap((json) => {
      const isAccepted = decodes(json);
      const answer = answerTo(json);
      if (answer !== undefined && !isAnswer(answer))
        wrong.push(`${textOf(type)}\n  ${answer} is answered, and not valid`);
      const mayBeValid = isAccepted !== undefined || (isLoose && keeps(type, JSON.parse(json), "some"));
      if (isValid(json) ? !mayBeValid : isAccepted !== undefined)
        wrong.push(
          `${textOf(type)}\n  ${json} is ${isAccepted === undefined ? "refused, and" : "taken, and not"} valid`,
        );
      return isAccepted === undefined ? [] : [isAccepted];
    });
    accepted.push({ type: textOf(type), client: client.text, values });
  }
  expect(wrong).toEqual([]);
  expect(mistakesIn(accepted)).toEqual([]);
  expect(accepted.flatMap(({ values }) => values).length).toBeGreaterThan(tries(32));
}, 600_000);

/**
 * Returns a function that decodes JSON like the application, but BigInts to numbers: to the accepted part, or to
 * undefined.
 */
function decoderOf({ packages, types }: App): (json: string) => { readonly v: unknown } | undefined {
  const [take] = allOfKind(packages, "api");
  if (take === undefined) throw new Error("the application has no API");
  const api = bundled(take, types);
  return (json) => {
    const found = outcome(api, { body: parseJSON(Buffer.from(`{"v":${json}}`), api.exactIntegers) });
    if (typeof found === "string") return undefined;
    const text = JSON.stringify(found, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each));
    return JSON.parse(text) as { readonly v: unknown };
  };
}

/** Returns a function that returns the application's JSON response to a value; undefined if it refuses the value. */
function answersOf({ packages, types }: App): (json: string) => string | undefined {
  const give = allOfKind(packages, "api").find(({ declaration }) => declaration.variable === "give");
  if (give === undefined) throw new Error("the application has no such API");
  const { exactIntegers, encode = JSON.stringify, ...decoder } = bundled(give, types);
  return (json) => {
    const request = outcome(
      { exactIntegers, ...decoder },
      { body: parseJSON(Buffer.from(`{"v":${json}}`), exactIntegers) },
    );
    return typeof request === "string" ? undefined : encode(request);
  };
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

/** Returns a predicate that is true for values that the document accepts as a request. */
function validatorOf({ paths, components }: OpenApi): (json: string) => boolean {
  const isValid = validatorFor(paths["/take"]?.["post"]?.["requestBody"] as Content, components);
  return (json) => isValid({ v: JSON.parse(json) as unknown });
}

/** Returns a predicate that is true for values that the document describes as a response. */
function answerValidatorOf({ paths, components }: OpenApi): (json: string) => boolean {
  const responses = paths["/give"]?.["post"]?.["responses"] as Readonly<Record<string, Content>>;
  const isValid = validatorFor(responses["200"], components);
  return (json) => isValid(JSON.parse(json));
}

function validatorFor(message: Content | undefined, components: object): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, formats: { ...formats, double: true, int32: true, int64: true } });
  return ajv.compile({ ...message?.content?.["application/json"]?.schema, components });
}

/**
 * True if a schema has a union of objects. JSON Schema may then accept a value that the application refuses: a field of
 * one object is an unknown field of another.
 */
function choosesAmongObjects(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { anyOf = [] } = part as { readonly anyOf?: readonly { readonly type?: string; readonly $ref?: string }[] };
  const objects = anyOf.filter(({ type, $ref }) => type === "object" || $ref !== undefined);
  return objects.length > 1 || Object.values(part).some(choosesAmongObjects);
}

/** The formats of strings. They cover only the values in this test. */
const formats = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  email: /^[^@\s]+@[^@\s]+\.\w+$/,
  uri: /^https:\/\/\S+$/,
};

/** Returns the type errors of accepted values that do not have their client's type. */
function mistakesIn(accepted: readonly Accepted[]): readonly string[] {
  const lineOf = (value: unknown): string =>
    `{ const v: Accepted = undefined as unknown as ${exactly(value)}; void v; }`;
  const texts = new Map(
    accepted.map(({ client, values }, i) => {
      const lines = ['type Accepted = Parameters<ApiClient["take"]>[0];', ...values.map(lineOf)];
      return [`/client${i}.ts`, `${client}${lines.join("\n")}`] as [string, string];
    }),
  );
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    types: [],
    strict: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  host.readFile = (name) => texts.get(name) ?? read(name);
  const program = ts.createProgram([...texts.keys()], options, host);
  return accepted.flatMap(({ type }, i) => {
    const file = program.getSourceFile(`/client${i}.ts`);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file?.text.slice(start).split("\n")[0] ?? "";
      return `${type}\n  ${line}\n  ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}
