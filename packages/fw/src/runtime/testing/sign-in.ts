import type { LocalPlatform } from "../../platform/local/open.ts";
import type { Bundle, BundledAuth } from "../bundle.ts";
import { type AuthPlatform, bothProviders, openAuthPlatform } from "./auth-platform.ts";
import { apis, bundleOf, pages, siteOf, start, type TestApp, type TestOptions } from "./app.ts";

/** An application with sign-in, on its own local platform. */
export interface SignInApp extends TestApp {
  readonly platform: LocalPlatform;
  readonly authPlatform: AuthPlatform;
  send(method: string, path: string, sent?: SentForm): Promise<Answer>;
}

export interface SentForm {
  /** Fields of a URL-encoded form, or its raw text. */
  readonly form?: Readonly<Record<string, string | readonly string[]>> | string;
  readonly json?: unknown;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The session cookie of the response, as `name=value`; undefined if it is absent or cleared. */
  readonly session: string | undefined;
}

const site = siteOf({ templates: { "token.html": (_data, page) => page.csrfToken() } });

function bundleWith(auth: BundledAuth | undefined): Bundle {
  const endpoints = [
    ...apis({
      "GET /me": (ctx) => ({ user: ctx.maybeUser() ?? null }),
      "GET /mine": { signIn: true, run: (ctx) => ctx.user() },
    }),
    ...pages({
      "GET /token": (ctx) => site.declaration.fragment(ctx, "token.html"),
      "POST /save": { carries: "form", run: (ctx) => site.declaration.fragment(ctx, "token.html") },
    }),
  ];
  return { ...bundleOf(endpoints, { site }), ...(auth && { auth }) };
}

export interface SignInOptions extends TestOptions {
  readonly auth?: BundledAuth | "none";
  /** The platform to share with another application; a new one by default. */
  readonly on?: AuthPlatform;
}

/** Starts an application, by default in development with both providers and two roles. */
export async function startSignIn({ auth = bothProviders, on, ...options }: SignInOptions = {}): Promise<SignInApp> {
  const opened = on ?? (await openAuthPlatform());
  const { platform } = opened;
  const app = await start(bundleWith(auth === "none" ? undefined : auth), { platform, ...options });
  return { ...app, platform, authPlatform: opened, send: (method, path, sent) => send(app.url + path, method, sent) };
}

async function send(url: string, method: string, { form, json, cookie, headers }: SentForm = {}): Promise<Answer> {
  const all = new Headers({ ...(cookie !== undefined && { cookie }), ...headers });
  const body = json === undefined ? form && encoded(form) : JSON.stringify(json);
  if (!all.has("content-type") && body !== undefined)
    all.set("content-type", json === undefined ? "application/x-www-form-urlencoded" : "application/json");
  const answer = await fetch(url, { method, headers: all, redirect: "manual", ...(body !== undefined && { body }) });
  return {
    status: answer.status,
    headers: answer.headers,
    body: await answer.text(),
    session: sessionIn(answer.headers),
  };
}

function encoded(form: NonNullable<SentForm["form"]>): string {
  if (typeof form === "string") return form;
  const pairs = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, each] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}

function sessionIn(headers: Headers): string | undefined {
  const cookies = headers.getSetCookie().map((each) => each.split(";", 1)[0] ?? "");
  return cookies.find((each) => /^(?:__Host-)?fw_session=./.test(each));
}
