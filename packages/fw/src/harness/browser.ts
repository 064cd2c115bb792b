import { Fault } from "../declare/errors.ts";
import type { SocketDeclaration } from "../declare/socket.ts";
import type { BundledEndpoint } from "../runtime/bundle.ts";
import type { FieldValue, SubmitOptions, TestClient, TestRequest } from "./client.ts";
import type { SignedIn } from "./signed-in.ts";
import { escapeHTML } from "../lib/html.ts";
import { openSocket, requestOf } from "./client-socket.ts";
import type { TestSocket, TestSocketOptions } from "./test-socket.ts";

/** The application that a browser connects to. */
export interface BrowserTarget {
  /** Resolves with the origin of the application's port. */
  readonly origin: () => Promise<string>;
  readonly endpoints: readonly BundledEndpoint[];
}

export class Browser implements TestClient {
  readonly #app: BrowserTarget;
  readonly #cookies: Map<string, string> = new Map();
  readonly #session: SignedIn | undefined;

  constructor(app: BrowserTarget, as?: SignedIn) {
    this.#app = app;
    this.#session = as;
  }

  /** A property, because generated clients take it as `fetch: app.client(user).fetch`. */
  readonly fetch = async (path: string, request: TestRequest = {}): Promise<Response> => {
    const { as = this.#session, body, headers, ...init } = request;
    const requestHeaders = new Headers(headers);
    const content = contentOf(body, requestHeaders);
    const cookie = await this.#cookieHeader(as, requestHeaders.get("cookie"));
    if (cookie !== "") requestHeaders.set("cookie", cookie);
    const url = new URL(path, await this.#app.origin());
    const response = await fetch(url, {
      redirect: "manual",
      ...init,
      headers: requestHeaders,
      ...(content !== undefined && { body: content }),
    });
    this.#storeCookies(response.headers.getSetCookie());
    return response;
  };

  async submit(
    path: string,
    fields: Readonly<Record<string, FieldValue>> = {},
    { from = path, ...options }: SubmitOptions = {},
  ): Promise<Response> {
    const page = await this.fetch(from, options.as === undefined ? {} : { as: options.as });
    const html = await page.text();
    const token = tokenIn(html);
    if (token === undefined) {
      throw new Fault(
        `submit: GET ${from} responded with ${page.status} without a form token: pass the path of the page with the form as { from: "/path" }`,
      );
    }
    const body = formOf({ ...fields, _csrf: token }, isMultipart(html, path));
    return this.fetch(path, { ...options, method: "POST", body });
  }

  async socket<Req, In, Out>(
    declaration: SocketDeclaration<Req, In, Out>,
    request: NoInfer<Req>,
    { as = this.#session, headers = {} }: TestSocketOptions = {},
  ): Promise<TestSocket<In, Out>> {
    const endpoint = this.#app.endpoints.find((each) => (each.declaration as unknown) === declaration);
    if (endpoint === undefined) throw new Fault("this socket is not part of the application of the test");
    const { path, fields, cookies } = requestOf(endpoint, request);
    const requestHeaders = { ...fields, ...headers };
    const cookie = await this.#cookieHeader(as, cookies);
    if (cookie !== "") requestHeaders["cookie"] = cookie;
    return openSocket(endpoint, new URL(path, await this.#app.origin()), requestHeaders) as Promise<
      TestSocket<In, Out>
    >;
  }

  /** Returns the Cookie header. The session of the request replaces a stored cookie with the same name. */
  async #cookieHeader(as: SignedIn | undefined, own: string | null): Promise<string> {
    const stored = new Map(this.#cookies);
    const session = await as?.cookie();
    if (session !== undefined) stored.delete(session.slice(0, session.indexOf("=")));
    const pairs = [...stored].map(([name, value]) => `${name}=${value}`);
    return [own, session, ...pairs].filter((pair) => pair != null && pair !== "").join("; ");
  }

  #storeCookies(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [pair = "", ...attributes] = cookie.split(";");
      const [name, value] = splitOnce(pair, "=");
      if (attributes.some((attribute) => /^\s*max-age=0\s*$/i.test(attribute))) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}

function contentOf(body: unknown, headers: Headers): NonNullable<RequestInit["body"]> | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || isContent(body)) return body;
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return JSON.stringify(body);
}

function isContent(body: unknown): body is FormData | URLSearchParams | Blob | ArrayBuffer | ReadableStream {
  const kinds = [FormData, URLSearchParams, Blob, ArrayBuffer, Uint8Array, ReadableStream];
  return kinds.some((kind) => body instanceof kind);
}

function formOf(fields: Readonly<Record<string, FieldValue>>, multipart: boolean): FormData | URLSearchParams {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    valuesOf(value).map((text): [string, string | Blob] => [name, text]),
  );
  if (!multipart && !entries.some(([, value]) => value instanceof Blob))
    return new URLSearchParams(entries as [string, string][]);
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

function valuesOf(value: FieldValue): readonly (string | Blob)[] {
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return typeof value === "string" || value instanceof Blob ? [value] : value;
}

/** True if the page's form for the path is sent as multipart. */
function isMultipart(html: string, path: string): boolean {
  const forms = [...html.matchAll(/<form[^<>]*>/gi)].map(([form]) => form);
  const form =
    forms.find((each) => each.includes(` action="${escapeHTML(path)}"`)) ??
    forms.find((each) => !/ action=/i.test(each));
  return form !== undefined && / enctype="?multipart\/form-data/i.test(form);
}

/** Returns the value of the hidden field that `{{csrf}}` renders; undefined if there is none. */
function tokenIn(html: string): string | undefined {
  const [input] = /<input[^<>]* name="_csrf"[^<>]*>/.exec(html) ?? [];
  return input === undefined ? undefined : /value="([^"]*)"/.exec(input)?.[1];
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at).trim(), text.slice(at + separator.length).trim()];
}
