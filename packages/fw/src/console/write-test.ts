import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";
import type { ConsoleModel, DeclaredVariable } from "../generate/console-model.ts";
import { decodeTagged } from "../lib/tagged-json.ts";
import { isSecretName, masked } from "../lib/mask-secrets.ts";
import type { EventHub, SpanEvent } from "./event-hub.ts";
import { text, BadInput, type Input } from "./input.ts";
import type { ConsoleParts } from "./parts.ts";
import type { ExchangeView } from "./recording/exchange-view.ts";
import type { RequestEvent } from "./recording/request-events.ts";
import { literalOf } from "./source-literal.ts";

const maxDocuments = 50;

/** A test that repeats a request. */
interface WrittenTest {
  readonly path: string;
  readonly source: string;
}

/** Writes a test that repeats a recorded request as the same user, with the documents that the request has read. */
export async function writeTest(input: Input, parts: ConsoleParts): Promise<WrittenTest> {
  const { hub, model, redact, collect } = parts;
  await collect?.();
  const id = text(input, "id");
  const request = requestOf(hub, id);
  const exchange = redact(hub.exchange(id) ?? null) as ExchangeView | null;
  const appModel = model();
  if (request === undefined || exchange === null || appModel === undefined)
    throw new BadInput("the request's headers and body were not recorded, or are forgotten");
  return testOf(request, exchange, appModel, parts);
}

async function testOf(
  request: RequestEvent,
  exchange: ExchangeView,
  model: ConsoleModel,
  parts: ConsoleParts,
): Promise<WrittenTest> {
  const endpoint = model.variables.find(({ kind, name }) => kind === "route" && name === request.route);
  if (endpoint === undefined) throw new BadInput("no endpoint handled this request");
  const path = endpoint.module.replace(/\.\w+$/, ".test.ts");
  const imports = new Imports(path, model.variables);
  const documents = await storedDocuments(request, parts, imports);
  const user = await signIn(request, parts, imports);
  imports.add(endpoint);
  const lines = [...documents, ...user, ...sendLines(request, exchange, model, user.length > 0)];
  return { path, source: fileOf(request, imports, lines, usesVitest(parts.root)) };
}

function requestOf(hub: EventHub, id: string): RequestEvent | undefined {
  const { events } = hub.after(0);
  return events.findLast((event): event is RequestEvent => event.kind === "request" && event.id === id);
}

class Imports {
  readonly #path: string;
  readonly #variables: readonly DeclaredVariable[];
  readonly #named = new Map<string, Set<string>>();

  constructor(path: string, variables: readonly DeclaredVariable[]) {
    this.#path = path;
    this.#variables = variables;
  }

  find(kind: DeclaredVariable["kind"], name: string): DeclaredVariable | undefined {
    return this.#variables.find((each) => each.kind === kind && each.name === name);
  }

  add({ module, variable, exported, kind }: DeclaredVariable): void {
    const names = this.#named.get(module) ?? new Set();
    this.#named.set(module, names);
    // Tests call endpoints by path, so their modules are imported only to be part of the application.
    if (exported && kind !== "route") names.add(variable);
  }

  lines(): string[] {
    const from = (module: string): string => {
      const path = relative(dirname(this.#path), module);
      return JSON.stringify(path.startsWith(".") ? path : `./${path}`);
    };
    return [...this.#named].map(([module, names]) =>
      names.size === 0
        ? `import ${from(module)};`
        : `import { ${[...names].toSorted().join(", ")} } from ${from(module)};`,
    );
  }
}

/**
 * Writes the code that stores the documents that a request has read: as read, or in their current state if they were
 * not copied.
 */
async function storedDocuments(
  request: RequestEvent,
  { hub, platform }: ConsoleParts,
  imports: Imports,
): Promise<string[]> {
  const openPlatform = await platform();
  const keys = readDocuments(hub, request);
  if (openPlatform === undefined || keys.length === 0) return [];
  const lines = await Promise.all(
    keys.map(async ({ kind, id, copy }) => {
      const entity = imports.find("entity", kind);
      const document = copy ?? (await openPlatform.entities.get({ kind, id }))?.fields;
      if (entity === undefined) return [];
      if (document === undefined)
        return [`  // Store the document ${id} of ${kind} here: it has been deleted since then.`];
      if (!entity.exported)
        return [`  // Export ${entity.variable} from ${entity.module} to store its document ${id}.`];
      imports.add(entity);
      return [`  await ${entity.variable}.put(app.ctx(), ${literalOf({ id, ...document }, 1)});`];
    }),
  );
  return lines.flat();
}

/** A document that a request has read. */
interface ReadDocument {
  readonly kind: string;
  readonly id: string;
  /** The document as the request read it; undefined if it was not copied. */
  readonly copy: object | undefined;
}

/** Returns the documents that a request has read but not created, at most `maxDocuments`, as first read. */
function readDocuments(hub: EventHub, request: RequestEvent): readonly ReadDocument[] {
  const documents = new Map<string, ReadDocument>();
  const createdKeys = new Set<string>();
  for (const { name, failed, details, documents: copies } of stepsOf(hub, request)) {
    const [, operation = "", kind = ""] = /^entity\.(\w+) (.+)$/.exec(name) ?? [];
    const copiesById = new Map(copiesOf(copies).map((each) => [each.id, each]));
    for (const id of details?.ids ?? [...copiesById.keys()]) {
      const key = JSON.stringify([kind, id]);
      if (createOperations.has(operation) && !failed && !documents.has(key)) createdKeys.add(key);
      if (!readOperations.has(operation) || createdKeys.has(key) || documents.has(key)) continue;
      // An update returns the document that it wrote.
      const copy = operation === "update" ? undefined : copiesById.get(id);
      documents.set(key, { kind, id, copy });
    }
  }
  return [...documents.values()].slice(0, maxDocuments);
}

const readOperations: ReadonlySet<string> = new Set([
  "get",
  "find",
  "getMany",
  "all",
  "first",
  "page",
  "update",
  "delete",
]);
const createOperations: ReadonlySet<string> = new Set(["create", "put"]);

function copiesOf(documents: string | undefined): readonly { readonly id: string }[] {
  return documents === undefined ? [] : (decodeTagged(documents) as { readonly id: string }[]);
}

/** Returns the steps of a request and of the requests that it led to, by time, without deliveries of messages. */
function stepsOf(hub: EventHub, { id, trace }: RequestEvent): readonly SpanEvent[] {
  const events = hub
    .after(0)
    .events.filter((event): event is RequestEvent | SpanEvent => event.kind !== "log" && event.trace === trace);
  const stepsBelow = (step: string): readonly SpanEvent[] =>
    events
      .filter(({ parent }) => parent === step)
      .flatMap((event) => {
        if (event.kind === "request") return stepsBelow(event.id);
        return event.attempt === undefined ? [event, ...stepsBelow(event.id)] : [];
      });
  return stepsBelow(id).toSorted((a, b) => a.at - b.at);
}

/** Writes the code that signs the user in with the account's current roles. */
async function signIn({ user }: RequestEvent, { platform }: ConsoleParts, imports: Imports): Promise<string[]> {
  // Skip an identity without an address, which an Authenticator may return: the request's headers have its credentials.
  if (user === undefined || user === "") return [];
  const account = await (await platform())?.accounts.byEmail(user);
  const roles = ((account?.claims as { readonly roles?: readonly string[] } | undefined)?.roles ?? []).flatMap(
    (name) => imports.find("role", name) ?? [],
  );
  for (const role of roles) imports.add(role);
  const list = roles.filter(({ exported }) => exported).map(({ variable }) => variable);
  const granted = list.length === 0 ? "" : `, roles: [${list.join(", ")}]`;
  return [`  const user = app.signIn({ email: ${JSON.stringify(user)}${granted} });`];
}

/** Writes the code that repeats the request: a page's form as a browser submits it, any other request with `fetch`. */
function sendLines(
  { method, route }: RequestEvent,
  exchange: ExchangeView,
  { routes, graph }: ConsoleModel,
  isSignedIn: boolean,
): string[] {
  const endpoint = routes.find((each) => `${each.method} ${each.path}` === route);
  const headers = new Map(exchange.requestHeaders.map(([name, value]) => [name.toLowerCase(), value]));
  const isForm = (headers.get("content-type") ?? "").includes("x-www-form-urlencoded");
  const as = isSignedIn ? { as: new Source("user") } : {};
  const code =
    endpoint?.kind === "page" && method !== "GET" && isForm
      ? submitCode(exchange, headers, as)
      : fetchCode(exchange, headers, { ...(method !== "GET" && { method }), ...as }, sentHeaderNames(endpoint, graph));
  return [...incompleteNotes(exchange, code), `  const answer = await ${code};`];
}

type ExchangeHeaders = ReadonlyMap<string, string>;

function incompleteNotes({ requestBody }: ExchangeView, code: string): string[] {
  return [
    ...(requestBody.isCut ? ["  // The recorded body is incomplete."] : []),
    ...(code.includes(masked) ? [`  // Replace ${masked}: credentials are not recorded.`] : []),
  ];
}

function submitCode({ target, requestBody }: ExchangeView, headers: ExchangeHeaders, as: object): string {
  const fields = [...new URLSearchParams(requestBody.text)].filter(([name]) => !isSecretName(name));
  const referer = headers.get("referer");
  const from = referer === undefined ? {} : { from: new URL(referer).pathname };
  const options = literalOf({ ...as, ...from }, 1);
  return `app.submit(${JSON.stringify(target)}, ${literalOf(Object.fromEntries(fields), 1)}, ${options})`;
}

function fetchCode(
  { target, requestBody }: ExchangeView,
  headers: ExchangeHeaders,
  options: object,
  boundHeaders: ReadonlySet<string>,
): string {
  const type = headers.get("content-type") ?? "";
  const sentHeaders = [...headers].filter(([name]) => boundHeaders.has(name) || name.startsWith("hx-"));
  const body = bodyOf(requestBody.text, type);
  if (typeof body === "string") sentHeaders.push(["content-type", type]);
  const init = {
    ...options,
    ...(sentHeaders.length > 0 && { headers: Object.fromEntries(sentHeaders) }),
    ...(body !== undefined && { body }),
  };
  const last = Object.keys(init).length === 0 ? "" : `, ${literalOf(init, 1)}`;
  return `app.fetch(${JSON.stringify(target)}${last})`;
}

function sentHeaderNames(
  endpoint: ConsoleModel["routes"][number] | undefined,
  { services }: ConsoleModel["graph"],
): ReadonlySet<string> {
  const fields = (endpoint?.fields ?? []).filter(({ source }) => source === "header");
  const credentials = services.flatMap(({ authenticators = [] }) => authenticators.flatMap((each) => each.credentials));
  const prefix = "header ";
  const ofAuthenticators = credentials
    .filter((each) => each.startsWith(prefix))
    .map((each) => each.slice(prefix.length));
  return new Set([...fields.map(({ name }) => name), ...ofAuthenticators].map((name) => name.toLowerCase()));
}

/**
 * Returns the parsed value of a JSON body if it is an object or a list, which a test can send as such; otherwise the
 * text.
 */
function bodyOf(body: string | undefined, type: string): unknown {
  if (body === undefined || body === "") return undefined;
  if (!/json/i.test(type)) return body;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? value : body;
  } catch {
    return body;
  }
}

/** Source text that is inserted unquoted into a literal. */
class Source {
  readonly text: string;

  constructor(sourceText: string) {
    this.text = sourceText;
  }

  toSource(): string {
    return this.text;
  }
}

function fileOf({ route, status }: RequestEvent, imports: Imports, lines: readonly string[], vitest: boolean): string {
  const runner = vitest
    ? [`import { newTestApp } from "fw/testing";`, `import { expect, test } from "vitest";`]
    : [
        `import assert from "node:assert/strict";`,
        `import { test } from "node:test";`,
        `import { newTestApp } from "fw/testing";`,
      ];
  const expectation = vitest ? `  expect(answer.status).toBe(${status});` : `  assert.equal(answer.status, ${status});`;
  return [
    ...runner,
    ...imports.lines(),
    "",
    `test(${JSON.stringify(`${route} answers ${status}`)}, async () => {`,
    "  await using app = await newTestApp();",
    ...lines,
    expectation,
    "});",
    "",
  ].join("\n");
}

/** True if `fw test` runs the application's tests with Vitest. */
function usesVitest(root: string): boolean {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly dependencies?: object;
      readonly devDependencies?: object;
    };
    return "vitest" in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}
