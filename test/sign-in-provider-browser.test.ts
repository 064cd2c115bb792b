import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startFakeCloud, type FakeCloud } from "../packages/fake-cloud/src/index.ts";
import { socialLibrary } from "../packages/fw/src/lib/own-modules.ts";
import { CloudAccounts } from "../packages/fw/src/platform/gcp/accounts/accounts.ts";
import { identityKeys, idTokens } from "../packages/fw/src/platform/gcp/accounts/id-token.ts";
import { connectCloud } from "../packages/fw/src/platform/gcp/cloud.ts";
import { systemClock } from "../packages/fw/src/platform/clock.ts";
import { providerFlow } from "../packages/fw/src/runtime/auth/provider/flow.ts";
import { settings } from "../packages/fw/src/runtime/settings.ts";
import type { BundledAuth } from "../packages/fw/src/runtime/bundle.ts";
import { openAuthPlatform } from "../packages/fw/src/runtime/testing/auth-platform.ts";
import { startSignIn, type SignInApp } from "../packages/fw/src/runtime/testing/sign-in.ts";
import { launchBrowser } from "./support/browser.ts";

const account = "club@demo-fw.iam.gserviceaccount.com";
const domain = "demo-fw.firebaseapp.com";
const password = "correct horse";

let fake: FakeCloud;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Resources that the browser refused to load, and script errors. */
let complaints: string[];

beforeAll(async () => {
  [fake, browser] = await Promise.all([startFakeCloud(), launchBrowser()]);
  fake.grant(`serviceAccount:${account}`, "roles/firebaseauth.viewer");
  const people = fake.apis.people.users;
  people.create({ email: "ann@example.com", displayName: "Ann", emailVerified: true, password });
  people.create({ email: "bob@example.com", emailVerified: false, password });
  people.create({ email: "eve@example.com", emailVerified: true, password, disabled: true });
});
afterAll(async () => {
  await browser?.close();
  await fake?.stop();
});

beforeEach(async () => {
  complaints = [];
  context = await browser.newContext();
  page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
});

/** Starts an application with accounts in the fake cloud, and with the sign-in of Google Cloud. */
async function club(authSettings: Partial<BundledAuth> = {}): Promise<SignInApp> {
  const auth = { social: true, password: true, roles: [], ...authSettings };
  const cloud = connectCloud(await fake.envOf(account));
  const openPlatform = await openAuthPlatform(systemClock);
  const accounts = new CloudAccounts({
    client: cloud.client,
    project: fake.project.id,
    tokens: idTokens(fake.project.id, identityKeys(cloud), Date.now),
    cursorKey: async () => new Uint8Array(32),
  });
  const provider = providerFlow({
    apiKey: fake.cloud.apiKey,
    domain,
    api: `${fake.url}/identitytoolkit.googleapis.com`,
    library: auth.social ? () => readFile(socialLibrary, "utf8") : undefined,
  });
  return startSignIn({
    auth,
    on: {
      ...openPlatform,
      platform: { ...openPlatform.platform, accounts } as unknown as typeof openPlatform.platform,
    },
    settings: settings.cloud,
    signInFlow: provider.flow,
    injected: provider.endpoints,
  });
}

async function open(app: SignInApp): Promise<void> {
  await page.goto(`${app.url.replace("127.0.0.1", "localhost")}/_fw/signin?next=/me`);
  await expect.poll(() => page.locator("#provider").isEnabled()).toBe(true);
}

async function signInAs(email: string, text: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(text);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const signedIn = async (): Promise<unknown> => {
  await page.waitForURL(({ pathname }) => pathname === "/me");
  return (JSON.parse(await page.locator("body").innerText()) as { user: unknown }).user;
};

test("who has a password signs in with it at the provider, and the service never sees it", async () => {
  await using app = await club({ social: false });
  const posted: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().startsWith(new URL(page.url()).origin))
      posted.push(request.postData() ?? "");
  });
  await open(app);
  await signInAs("ann@example.com", password);
  expect(await signedIn()).toMatchObject({
    email: "ann@example.com",
    name: "Ann",
    provider: "email",
    emailVerified: true,
  });
  expect(posted).toHaveLength(1);
  expect(posted[0]).toMatch(/^idToken=[\w.-]+&next=%2Fme$/);
  expect(complaints).toEqual([]);
});

test("a wrong password, an unknown address and a disabled account read alike, and the page can be used again", async () => {
  await using app = await club({ social: false });
  await open(app);
  for (const [email, text] of [
    ["ann@example.com", "wrong horse"],
    ["who@example.com", password],
    ["eve@example.com", password],
  ] as const) {
    await signInAs(email, text);
    await expect
      .poll(() => page.getByRole("alert").innerText())
      .toBe("that email and password do not match an account");
    await expect.poll(() => page.locator("#provider").isEnabled()).toBe(true);
  }
  await signInAs("ann@example.com", password);
  expect(await signedIn()).toMatchObject({ email: "ann@example.com" });
});

test("a forgotten password sends a mail, without revealing which addresses have an account", async () => {
  await using app = await club({ social: false });
  await open(app);
  const messages: string[] = [];
  for (const email of ["ann@example.com", "who@example.com"]) {
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Set a new password" }).click();
    await expect.poll(() => page.getByRole("status").innerText()).not.toBe("");
    messages.push(await page.getByRole("status").innerText());
    await expect.poll(() => page.locator("#provider").isEnabled()).toBe(true);
  }
  expect(new Set(messages)).toEqual(new Set(["if that address has an account, we sent it an email with a link"]));
  expect(fake.apis.people.mails).toEqual([
    expect.objectContaining({ to: "ann@example.com", requestType: "PASSWORD_RESET" }),
  ]);
  fake.apis.people.mails.length = 0;
});

test("an unverified address is offered a mail, and sign-in continues without it", async () => {
  await using app = await club({ social: false });
  await open(app);
  await signInAs("bob@example.com", password);
  await page.getByRole("button", { name: "Send a verification email" }).click();
  await expect.poll(() => page.getByRole("status").innerText()).toBe("we sent you an email with a link");
  expect(fake.apis.people.mails).toEqual([
    expect.objectContaining({ to: "bob@example.com", requestType: "VERIFY_EMAIL" }),
  ]);
  await page.getByRole("button", { name: "Continue" }).click();
  expect(await signedIn()).toMatchObject({ email: "bob@example.com", emailVerified: false });
});

test("a social sign-in goes through the provider's own library and window, and the page's policy lets exactly that through", async () => {
  await using app = await club();
  await beSocial({ email: "ann@example.com", name: "Ann" });
  await open(app);
  await page.getByRole("button", { name: "Sign in with Google" }).click();
  expect(await signedIn()).toMatchObject({ email: "ann@example.com", provider: "social", emailVerified: true });
  expect(complaints).toEqual([]);
});

test("where the browser blocks the provider's window, a social sign-in goes by way of the provider's page and back", async () => {
  await using app = await club();
  await beSocial({ email: "ann@example.com", name: "Ann" });
  await context.addInitScript("window.open = () => null");
  await open(app);
  await page.getByRole("button", { name: "Sign in with Google" }).click();
  expect(await signedIn()).toMatchObject({ email: "ann@example.com", provider: "social", emailVerified: true });
  expect(complaints).toEqual([]);
});

test("who comes back from the provider's page without an answer is told, and can press again", async () => {
  await using app = await club();
  await beSocial({ email: "ann@example.com", name: "Ann" }, "unknown");
  await context.addInitScript("window.open = () => null");
  await open(app);
  await page.getByRole("button", { name: "Sign in with Google" }).click();
  await expect
    .poll(() => page.getByRole("alert").innerText())
    .toBe("the browser blocked the sign-in window: allow pop-ups for this site and try again");
  await expect.poll(() => page.locator("#provider").isEnabled()).toBe(true);
  // Reloading the page restarts the sign-in.
  await page.reload();
  await expect.poll(() => page.locator("#provider").isEnabled()).toBe(true);
  expect(await page.getByRole("alert").isVisible()).toBe(false);
});

test("the social provider's library is there only where it is declared", async () => {
  await using app = await club({ social: false });
  await open(app);
  expect(await page.getByRole("button", { name: "Sign in with Google" }).count()).toBe(0);
  expect((await app.send("GET", "/_fw/signin/social.js")).status).toBe(404);
  const policy = (await app.send("GET", "/_fw/signin")).headers.get("content-security-policy") ?? "";
  expect(policy).not.toMatch(/google|frame-src/);
  expect(policy).toContain(`script-src 'self'; connect-src ${fake.url}`);
});

test("a token of a provider that is not declared is refused with its name, and the page is there again", async () => {
  await using app = await club({ social: true, password: false });
  const ann = fake.apis.people.users.byEmail("ann@example.com");
  const idToken = ann === undefined ? "" : await fake.apis.people.idToken(ann, "password");
  const refusal = await app.send("POST", "/_fw/api/session", { json: { idToken } });
  expect([refusal.status, refusal.body]).toEqual([
    401,
    JSON.stringify({
      error:
        "the ID token did not verify: this token was minted by email, and this app declares social — the auth configuration decides which doors exist",
    }),
  ]);
});

test("nothing on the page can be pressed, and no password sent, before its script is there", async () => {
  await using app = await club({ social: false });
  await page.route("**/_fw/signin/provider.js", (route) => route.abort());
  await page.goto(`${app.url.replace("127.0.0.1", "localhost")}/_fw/signin`);
  expect(await page.getByRole("button", { name: "Sign in", exact: true }).isDisabled()).toBe(true);
  const names = await page
    .locator("#password input")
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute("name")));
  expect(names).toEqual([null, null]);
});

/**
 * Replaces Google's hosts: the fake answers the library's calls to the provider, a page that closes itself replaces the
 * provider's window, and a script replaces Google's frame library and reports the window's result.
 */
async function beSocial(
  person: { readonly email: string; readonly name: string },
  back: "signInViaRedirect" | "unknown" = "signInViaRedirect",
): Promise<void> {
  const urlResponse = fake.apis.people.social(person);
  let came: typeof back | undefined;
  const answer =
    (type: string, body: string) =>
    (route: Route): Promise<void> =>
      // Requests still in flight when the test ends have no recipient.
      route.fulfill({ contentType: type, body }).catch(() => {});
  await context.route("https://apis.google.com/js/api.js*", (route) =>
    answer("text/javascript", frames(urlResponse, came))(route),
  );
  await context.route(`https://${domain}/**`, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const leads = asked.get("authType") === "signInViaRedirect" ? (asked.get("redirectUrl") ?? "") : "";
    if (leads === "") return answer("text/html", "<!doctype html><title>Google</title>")(route);
    came = back;
    return answer("text/html", `<!doctype html><script>location.replace(${JSON.stringify(leads)})</script>`)(route);
  });
  await context.route("https://identitytoolkit.googleapis.com/**", async (route) => {
    const request = route.request();
    const url = request.url().replace("https://", `${fake.url}/`);
    const body = request.postData();
    const reply = await fetch(url, {
      method: request.method(),
      headers: { "content-type": "application/json", origin: new URL(page.url()).origin },
      ...(body !== null && { body }),
    });
    await route.fulfill({
      status: reply.status,
      contentType: "application/json",
      headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" },
      body: await reply.text(),
    });
  });
}

/**
 * Imitates Google's frame library. Its frame reports the result of the sign-in window or, after a redirect, of the
 * provider.
 */
function frames(urlResponse: string, came: string | undefined): string {
  return `
const came = ${JSON.stringify(came ?? null)};
const eventOf = (type, eventId) => ({ type: "authEvent", authEvent: { type, eventId, urlResponse: type === "unknown" ? null : ${JSON.stringify(urlResponse)}, sessionId: "s", postBody: null, tenantId: null, error: type === "unknown" ? { code: "auth/no-auth-event", message: "none" } : null } });
const opened = window.open;
let listener;
window.open = (url, ...rest) => {
  const eventId = new URL(url).searchParams.get("eventId");
  const popup = opened.call(window, url, ...rest);
  setTimeout(() => listener(eventOf("signInViaPopup", eventId)), 0);
  return popup;
};
const frame = {
  restyle: () => Promise.resolve(),
  ping: (done) => (done(), Promise.resolve()),
  register: (name, handler) => {
    listener = handler;
    if (came !== null) setTimeout(() => listener(eventOf(came, null)), 0);
  },
  send: (type, message, done) => void setTimeout(() => {
    // The library throws here once it has its answer; Google's own frame library ignores that.
    try { done([{ webStorageSupport: true }]); } catch {}
  }, 0),
};
window.gapi = {
  load: (name, options) => (typeof options === "function" ? options : options.callback)(),
  iframes: { getContext: () => ({ open: (params, done) => {
    const element = document.createElement("iframe");
    element.src = params.url;
    params.where.append(element);
    return done(frame);
  } }), Iframe: class {}, CROSS_ORIGIN_IFRAMES_FILTER: {} },
};
const loaded = new URL(document.currentScript.src).searchParams.get("onload");
window[loaded]?.();
`;
}
