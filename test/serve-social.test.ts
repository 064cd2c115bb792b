import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { launchServe, startServe, type Served } from "./support/served.ts";
import { clientSecret as secret, startProvider } from "./support/social-provider.ts";

const files = `
-- shop/shop.ts --
import { API, Auth } from "fw";

export const auth = Auth({ social: true });
export const me = API("GET /me", async (ctx) => {
  const { email, name, provider, emailVerified } = ctx.user();
  return { email, name, provider, emailVerified, variables: Object.values(process.env).map(String) };
}, { signIn: true });
`;

let root: string;
beforeAll(async () => {
  root = writeApplication(Object.fromEntries(filesOf(files)));
  await build(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));

/** A browser without scripts: it keeps cookies by host, follows redirects and submits forms. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  async open(address: string | URL, form?: URLSearchParams): Promise<{ readonly url: URL; readonly text: string }> {
    let url = new URL(address);
    let body = form;
    for (let hop = 0; hop < 20; hop++) {
      const cookies = this.#cookies.get(url.host) ?? new Map<string, string>();
      this.#cookies.set(url.host, cookies);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await fetch(url, {
        method: body === undefined ? "GET" : "POST",
        redirect: "manual",
        headers: { cookie, accept: "text/html", ...(body && { origin: url.origin }) },
        ...(body && { body }),
      });
      for (const each of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
        if (value === "" || each.includes("Max-Age=0")) cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = answer.headers.get("location");
      if (location === null) return { url, text: await answer.text() };
      url = new URL(location, url);
      body = undefined;
    }
    throw new Error("too many redirects");
  }
}

/** Returns the URL that a pattern captures in a page: the target of a form or a link. */
function targetIn({ url, text }: { readonly url: URL; readonly text: string }, pattern: RegExp): URL {
  const [, target] = pattern.exec(text) ?? [];
  if (target === undefined) throw new Error(`${pattern.source} is not on the page ${url.href}:\n${text}`);
  return new URL(target.replaceAll("&amp;", "&"), url);
}

async function serveWith(issuer: string): Promise<Served> {
  const env = { FW_OIDC_ISSUER: issuer, FW_OIDC_CLIENT_ID: "shop", FW_OIDC_CLIENT_SECRET: secret };
  const served = await startServe([], { cwd: root, env });
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

test("people sign in at the OpenID Connect provider that the environment names, and sign out of both", async () => {
  const provider = await startProvider();
  const { url } = await serveWith(provider.issuer);
  provider.serve(url);
  const browser = new Browser();
  const page = await browser.open(`${url}/_fw/signin?next=/me`);
  expect(page.text).toContain(`Sign in at ${new URL(provider.issuer).host}`);
  const login = await browser.open(targetIn(page, /href="(\/_fw\/signin\/social[^"]*)"/));
  expect(login.url.origin).toBe(provider.issuer);
  const credentials = new URLSearchParams({ prompt: "login", login: "ada", password: "x" });
  const consent = await browser.open(targetIn(login, /action="([^"]+)"/), credentials);
  const answer = await browser.open(targetIn(consent, /action="([^"]+)"/), new URLSearchParams({ prompt: "consent" }));
  expect(answer.url.href).toBe(`${url}/me`);
  const { variables, ...user } = JSON.parse(answer.text) as { readonly variables: readonly string[] };
  expect(user).toEqual({ email: "ada@example.com", name: "Ada", provider: "social", emailVerified: true });
  expect(variables).not.toContain(secret);
  const signedIn = await browser.open(`${url}/_fw/signin`);
  expect(signedIn.text).toContain("Also sign out at 127.0.0.1");
  const end = new URLSearchParams({ next: "/_fw/signin/social/end" });
  const leaving = await browser.open(`${url}/_fw/api/session/signout`, end);
  const asked = await browser.open(targetIn(leaving, /href="([^"]+)"/));
  expect(asked.url.origin).toBe(provider.issuer);
  expect(asked.text).toContain("sign-out");
  expect((await browser.open(`${url}/_fw/signin`)).text).not.toContain("You are signed in");
});

test("signing out at the provider ends the session of the application, which the provider reports itself", async () => {
  const provider = await startProvider();
  const server = await serveWith(provider.issuer);
  provider.serve(server.url);
  const browser = new Browser();
  const login = await browser.open(`${server.url}/_fw/signin/social?next=/me`);
  const credentials = new URLSearchParams({ prompt: "login", login: "bob", password: "x" });
  const consent = await browser.open(targetIn(login, /action="([^"]+)"/), credentials);
  const answer = await browser.open(targetIn(consent, /action="([^"]+)"/), new URLSearchParams({ prompt: "consent" }));
  expect(answer.text).toContain("bob@example.com");
  const leaving = await browser.open(`${provider.issuer}/session/end?client_id=shop`);
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(leaving.text) ?? [];
  await browser.open(targetIn(leaving, /action="([^"]+)"/), new URLSearchParams({ xsrf, logout: "yes" }));
  await expect.poll(async () => (await browser.open(`${server.url}/me`)).text).not.toContain("bob@example.com");
  expect(server.output()).not.toContain("was refused");
});

test("settings of a provider that are incomplete or unsafe are refused, with what to set", async () => {
  const output = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const served = launchServe([], { cwd: root, env });
    onTestFinished(() => served[Symbol.asyncDispose]());
    await new Promise((resolve) => served.child.once("close", resolve));
    return served.output();
  };
  expect(await output({ FW_OIDC_ISSUER: "https://accounts.google.com" })).toContain(
    "missing FW_OIDC_CLIENT_ID and FW_OIDC_CLIENT_SECRET: set all of FW_OIDC_ISSUER, FW_OIDC_CLIENT_ID, FW_OIDC_CLIENT_SECRET, or none",
  );
  const rest = { FW_OIDC_CLIENT_ID: "shop", FW_OIDC_CLIENT_SECRET: secret };
  expect(await output({ ...rest, FW_OIDC_ISSUER: "http://login.example.com" })).toContain(
    "FW_OIDC_ISSUER must be the https address of a provider",
  );
});
