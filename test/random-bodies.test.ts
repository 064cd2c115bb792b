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
void words;
`;

/** A client, and values that the application takes. */
interface Taken {
  readonly type: string;
  readonly client: string;
  readonly values: readonly unknown[];
}

test("of types with constraints at random the OpenAPI document takes what is decoded and nothing that misses a constraint, and the client all of it", async () => {
  const chance = new Chance(Number(process.env["FW_SEED"] ?? 7));
  const taken: Taken[] = [];
  const wrong: string[] = [];
  for (let left = tries(16); left > 0; left--) {
    const type = typeOf(chance, 4);
    const { app, diagnostics } = await bench.analyze(appOf(textOf(type)));
    if (diagnostics.length > 0) continue;
    const descriptions = await bench.descriptions();
    const client = generateClient(app, descriptions);
    if ("refusals" in client) throw new Error(textOf(type));
    const decodes = decoderOf(app);
    const document = openApi(app, descriptions);
    const isValid = validatorOf(document);
    const isLoose = choosesAmongObjects(document);
    const values = Array.from({ length: 16 }, () => valueOf(chance, type, type, 6).json).flatMap((json) => {
      const kept = decodes(json);
      const mayBeValid = kept !== undefined || (isLoose && keeps(type, JSON.parse(json), "some"));
      if (isValid(json) ? !mayBeValid : kept !== undefined)
        wrong.push(`${textOf(type)}\n  ${json} is ${kept === undefined ? "refused, and" : "taken, and not"} valid`);
      return kept === undefined ? [] : [kept];
    });
    taken.push({ type: textOf(type), client: client.text, values });
  }
  expect(wrong).toEqual([]);
  expect(mistakesIn(taken)).toEqual([]);
  expect(taken.flatMap(({ values }) => values).length).toBeGreaterThan(tries(32));
}, 600_000);

/** What the application keeps of a value, as JSON; undefined where it refuses it. */
function decoderOf({ packages, types }: App): (json: string) => { readonly v: unknown } | undefined {
  const [take] = allOfKind(packages, "api");
  if (take === undefined) throw new Error("the application has no API");
  const made = bundled(take, types);
  return (json) => {
    const found = outcome(made, { body: parseJSON(Buffer.from(`{"v":${json}}`), made.exactIntegers) });
    if (typeof found === "string") return undefined;
    const text = JSON.stringify(found, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each));
    return JSON.parse(text) as { readonly v: unknown };
  };
}

/** Whether the document says so. */
function validatorOf({ paths, components }: OpenApi): (json: string) => boolean {
  const body = paths["/take"]?.["post"]?.["requestBody"] as { content: Record<string, { schema: object }> };
  const ajv = new Ajv2020({ strict: false, formats: { ...formats, double: true, int32: true, int64: true } });
  const isValid = ajv.compile({ ...body.content["application/json"]?.schema, components });
  return (json) => isValid({ v: JSON.parse(json) as unknown });
}

/**
 * True where a value may be one of several objects: then the application asks of a field that several have what one of them says, and JSON
 * Schema takes it for one of those that nobody knows.
 */
function choosesAmongObjects(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { anyOf = [] } = part as { readonly anyOf?: readonly { readonly type?: string; readonly $ref?: string }[] };
  const objects = anyOf.filter(({ type, $ref }) => type === "object" || $ref !== undefined);
  return objects.length > 1 || Object.values(part).some(choosesAmongObjects);
}

/** As far as the values of the test go. */
const formats = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  email: /^[^@\s]+@[^@\s]+\.\w+$/,
  uri: /^https:\/\/\S+$/,
};

/** Values that have not the type which their client gives them. */
function mistakesIn(taken: readonly Taken[]): readonly string[] {
  const lineOf = (value: unknown): string => `{ const v: Taken = undefined as unknown as ${exactly(value)}; void v; }`;
  const texts = new Map(
    taken.map(({ client, values }, i) => {
      const lines = ['type Taken = Parameters<ApiClient["take"]>[0];', ...values.map(lineOf)];
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
  return taken.flatMap(({ type }, i) => {
    const file = program.getSourceFile(`/client${i}.ts`);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file?.text.slice(start).split("\n")[0] ?? "";
      return `${type}\n  ${line}\n  ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}
