import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import { DocumentValues, type JsonSchema } from "./support/document-requests.ts";
import { copyOfExample, startDev } from "./support/fw.ts";
import { Chance } from "./types/random.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "method" | "path">>>>>;
  readonly components: JsonSchema;
}

/** The examples, each with the roles of the test user who signs in; undefined for the one that has its own sign-in. */
const examples = [
  { name: "conduit", roles: undefined },
  { name: "shop", roles: ["clerk"] },
  { name: "hub", roles: [] },
  { name: "notes", roles: ["admin", "editor"] },
] as const;

test.each(examples)(
  "every answer of $name to requests at random is as its OpenAPI document has it",
  async ({ name, roles }) => {
    const directory = await copyOfExample(name);
    const document = await documentOf(directory);
    writeFileSync(join(directory, ".env"), "JWT_SECRET=secret-of-a-test\nWEBHOOK_SECRET=secret-of-a-test\n");
    await using dev = await startDev(directory);
    const chance = new Chance(Number(process.env["FW_SEED"] ?? 26));
    const requests = new RandomRequests(dev.url, document, chance);
    const credentials: Headers[] = [
      {},
      ...(roles === undefined ? [] : [{ cookie: await sessionCookie(dev.url, roles) }]),
    ];
    const operations = operationsOf(document);
    const mistakes: string[] = [];
    let successes = 0;
    for (let left = tries(120); left > 0; left--) {
      const operation = chance.one(operations);
      const answer = await requests.send(operation, chance.one([...credentials, ...requests.tokens]));
      mistakes.push(...answer.mistakes);
      if (answer.status < 300) successes++;
    }
    expect(mistakes).toEqual([]);
    expect(successes).toBeGreaterThan(tries(6));
  },
  4_000_000,
);

async function documentOf(directory: string): Promise<Document> {
  return JSON.parse((await fw(directory, "gen", "openapi")).out) as Document;
}

function operationsOf({ paths }: Document): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

async function sessionCookie(url: string, roles: readonly string[]): Promise<string> {
  const response = await fetch(`${url}/_fw/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ dev_user: "alice", role: roles }),
  });
  expect(response.status).toBe(200);
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

type Headers = Readonly<Record<string, string>>;

/** Sends requests that an OpenAPI document describes, and checks the responses against it. */
class RandomRequests {
  /** Credentials from earlier responses. */
  readonly tokens: Headers[] = [];
  readonly #url: string;
  readonly #document: Document;
  readonly #chance: Chance;
  readonly #values: DocumentValues;
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { ...formats, double: true, int32: true, int64: true },
  });
  readonly #validators = new Map<JsonSchema, ValidateFunction>();

  constructor(url: string, document: Document, chance: Chance) {
    this.#url = url;
    this.#document = document;
    this.#chance = chance;
    this.#values = new DocumentValues(chance, document.components);
  }

  async send(
    operation: Operation,
    credentials: Headers,
  ): Promise<{ readonly status: number; readonly mistakes: readonly string[] }> {
    const { method, path, parameters = [], requestBody } = operation;
    const headers: Record<string, string> = { ...credentials };
    const query = new URLSearchParams();
    let target = path;
    for (const { name, in: place, required = false, schema } of parameters) {
      if (!required && this.#chance.below(2) === 0) continue;
      const value = this.#values.of(schema);
      const texts = (Array.isArray(value) ? value : [value]).map((each) => String(each));
      if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(texts[0] || "x"));
      if (place === "query") for (const text of texts) query.append(name, text);
      if (place === "header")
        headers[name] = texts
          .join(", ")
          .replaceAll(/[^ -~]/g, "?")
          .trim();
    }
    const schema = requestBody?.content["application/json"]?.schema;
    const body = schema === undefined ? undefined : JSON.stringify(this.#values.of(schema));
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await fetch(`${this.#url}${target}${query.size === 0 ? "" : `?${String(query)}`}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const request = `${method} ${target}?${String(query)} ${body?.slice(0, 300) ?? ""}`;
    const mistakes = (await this.#mistakesOf(operation, response)).map(
      (mistake) => `${request}: ${response.status}: ${mistake}`,
    );
    if (schema !== undefined && body !== undefined && response.ok && !this.#isValid(schema, JSON.parse(body))) {
      mistakes.push(`${request}: an invalid body was accepted`);
    }
    return { status: response.status, mistakes };
  }

  async #mistakesOf({ responses }: Operation, response: Response): Promise<readonly string[]> {
    const { status } = response;
    const description = this.#resolved(responses[status] ?? (status >= 400 ? responses["default"] : undefined));
    if (status >= 500 || description === undefined) return [`is not documented: ${await response.text()}`];
    const content = (description["content"] ?? {}) as Readonly<Record<string, { readonly schema?: JsonSchema }>>;
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    if (type !== "application/json") {
      await response.body?.cancel();
      return type === "" || type in content || "*/*" in content ? [] : [`${type} is not documented`];
    }
    const value: unknown = await response.json();
    this.#learn(value);
    const schema = content[type]?.schema;
    if (schema === undefined) return "*/*" in content ? [] : ["JSON is not documented"];
    return this.#isValid(schema, value)
      ? []
      : [
          `${JSON.stringify(value).slice(0, 500)} is invalid: ${this.#ajv.errorsText(this.#validators.get(schema)?.errors)}`,
        ];
  }

  /** Compiles each schema of the document only once, because compiling takes longer than a request. */
  #isValid(schema: JsonSchema, value: unknown): boolean {
    const isValid =
      this.#validators.get(schema) ?? this.#ajv.compile({ ...schema, components: this.#document.components });
    this.#validators.set(schema, isValid);
    return isValid(value);
  }

  #resolved(response: JsonSchema | undefined): JsonSchema | undefined {
    const name = (response?.["$ref"] as string | undefined)?.replace("#/components/responses/", "");
    return name === undefined ? response : (this.#document.components["responses"] as Record<string, JsonSchema>)[name];
  }

  #learn(value: unknown): void {
    this.#values.learn(value);
    const { user } = (value ?? {}) as { readonly user?: { readonly token?: string } };
    if (user?.token !== undefined && this.tokens.length < 3) this.tokens.push({ authorization: `Token ${user.token}` });
  }
}

const formats = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
  email: /^[^@\s]+@[^@\s]+\.\w+$/,
  uri: /^https?:\/\/\S+$/,
};
