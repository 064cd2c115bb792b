import { Fault } from "../declare/errors.ts";
import type { SocketDeclaration } from "../declare/socket.ts";
import type { BundledEndpoint } from "../runtime/bundle.ts";
import type { FieldValue, SubmitOptions, TestClient, TestRequest } from "./client.ts";
import type { SignedIn } from "./signed-in.ts";
import { openSocket, requestOf } from "./visitor-socket.ts";
import type { TestSocket, TestSocketOptions } from "./test-socket.ts";

/** The application that a browser shows. */
export interface Shown {
  /** Resolves with where it listens. */
  readonly origin: () => Promise<string>;
  readonly endpoints: readonly BundledEndpoint[];
}

export class Browser implements TestClient {
  readonly #app: Shown;
  readonly #cookies: Map<string, string> = new Map();
  readonly #as: SignedIn | undefined;

  constructor(app: Shown, as?: SignedIn) {
    this.#app = app;
    this.#as = as;
  }

  async fetch(path: string, { as = this.#as, body, headers, ...init }: TestRequest = {}): Promise<Response> {
    const sent = new Headers(headers);
    const content = contentOf(body, sent);
    const cookie = await this.#cookieHeader(as, sent.get("cookie"));
    if (cookie !== "") sent.set("cookie", cookie);
    const url = new URL(path, await this.#app.origin());
    const response = await fetch(url, {
      redirect: "manual",
      ...init,
      headers: sent,
      ...(content !== undefined && { body: content }),
    });
    this.#keep(response.headers.getSetCookie());
    return response;
  }

  async submit(
    path: string,
    fields: Readonly<Record<string, FieldValue>> = {},
    { from = path, ...options }: SubmitOptions = {},
  ): Promise<Response> {
    const page = await this.fetch(from, options.as === undefined ? {} : { as: options.as });
    const token = tokenIn(await page.text());
    if (token === undefined) {
      throw new Fault(
        `submit: GET ${from} answered ${page.status} without a form's token; say which page holds the form: { from: "/path" }`,
      );
    }
    return this.fetch(path, { ...options, method: "POST", body: formOf({ ...fields, _csrf: token }) });
  }

  async socket<Req, In, Out>(
    declaration: SocketDeclaration<Req, In, Out>,
    request: NoInfer<Req>,
    { as = this.#as, headers = {} }: TestSocketOptions = {},
  ): Promise<TestSocket<In, Out>> {
    const endpoint = this.#app.endpoints.find((each) => (each.declaration as unknown) === declaration);
    if (endpoint === undefined) throw new Fault("this socket is not part of the application of the test");
    const { path, fields, cookies } = requestOf(endpoint, request);
    const sent = { ...fields, ...headers };
    const cookie = await this.#cookieHeader(as, cookies);
    if (cookie !== "") sent["cookie"] = cookie;
    return openSocket(endpoint, new URL(path, await this.#app.origin()), sent) as Promise<TestSocket<In, Out>>;
  }

  /** The session of the request's own comes before a cookie of that name that was kept. */
  async #cookieHeader(as: SignedIn | undefined, own: string | null): Promise<string> {
    const kept = new Map(this.#cookies);
    const session = await as?.cookie();
    if (session !== undefined) kept.delete(session.slice(0, session.indexOf("=")));
    const pairs = [...kept].map(([name, value]) => `${name}=${value}`);
    return [own, session, ...pairs].filter((pair) => pair != null && pair !== "").join("; ");
  }

  #keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [pair = "", ...attributes] = cookie.split(";");
      const [name, value] = splitOnce(pair, "=");
      if (attributes.some((attribute) => /^\s*max-age=0\s*$/i.test(attribute))) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}

type Content = NonNullable<RequestInit["body"]>;

function contentOf(body: unknown, headers: Headers): Content | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || isContent(body)) return body;
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return JSON.stringify(body);
}

function isContent(body: unknown): body is FormData | URLSearchParams | Blob | ArrayBuffer | ReadableStream {
  const kinds = [FormData, URLSearchParams, Blob, ArrayBuffer, Uint8Array, ReadableStream];
  return kinds.some((kind) => body instanceof kind);
}

function formOf(fields: Readonly<Record<string, FieldValue>>): FormData | URLSearchParams {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    valuesOf(value).map((text): [string, string | Blob] => [name, text]),
  );
  if (!entries.some(([, value]) => value instanceof Blob)) return new URLSearchParams(entries as [string, string][]);
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

function valuesOf(value: FieldValue): readonly (string | Blob)[] {
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return typeof value === "string" || value instanceof Blob ? [value] : value;
}

/** The value of the hidden field that `{{csrf}}` makes. */
function tokenIn(html: string): string | undefined {
  const [input] = /<input[^<>]* name="_csrf"[^<>]*>/.exec(html) ?? [];
  return input === undefined ? undefined : /value="([^"]*)"/.exec(input)?.[1];
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at).trim(), text.slice(at + separator.length).trim()];
}
