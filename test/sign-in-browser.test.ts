import { fileURLToPath } from "node:url";
import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

// A harbour in a real browser: only pilots can see the chart, and only its master can appoint pilots.
const harbour = String.raw`
-- harbour/pages.ts --
import { API, Auth, Page, Redirect, RequireRole, Role, Site, StatusPage } from "fw";
import type { Form } from "fw";

export const auth = Auth({ social: true, password: true });
export const master = Role("master");
export const pilot = Role("pilot");
export const isMaster = RequireRole(master);
export const isPilot = RequireRole(pilot);
export const site = Site("./public");
export const status = StatusPage(async (ctx, s) => site.render(ctx, "status.html", s));

export interface NewAccount { email: string; password: string }
export const join = API("POST /accounts", async (ctx, req: NewAccount) => ({ id: (await auth.users.create(ctx, req)).id }));
export const quay = Page("GET /", (ctx) => site.render(ctx, "quay.html"));
export const berth = Page("GET /berth", (ctx) => site.render(ctx, "berth.html"), { signIn: true });
export const chart = Page("GET /chart", (ctx) => site.render(ctx, "chart.html", { who: ctx.user().email }), { allow: isPilot });
export const crew = Page(
  "GET /crew",
  async (ctx) => {
    const { users } = await auth.users.list(ctx).page();
    return site.render(ctx, "crew.html", { users: users.map(({ id, email }) => ({ id, email })) });
  },
  { allow: isMaster },
);
export const promote = Page(
  "POST /crew",
  async (ctx, req: { id: Form }) => {
    await auth.users.grant(ctx, req.id, pilot);
    return Redirect("/crew");
  },
  { allow: isMaster },
);
-- harbour/public/moved.css --
#fw-dev-bar { left: auto; right: 40px; bottom: auto; top: 30px; }
-- harbour/public/hidden.css --
#fw-dev-bar { display: none; }
-- harbour/public/templates/layout.html --
<!doctype html><html lang="en"><head><title>Harbour</title>
<style>div, form, button, summary { color: red; border: 9px solid red; margin: 50px } body { min-height: 150vh }</style></head>
<body>{{content}}</body></html>
-- harbour/public/templates/quay.html --
<h1>Quay</h1><p id="end">The end</p>
-- harbour/public/templates/berth.html --
<h1>Berth</h1>
-- harbour/public/templates/chart.html --
<h1>Chart</h1><p id="who">{{who}}</p>
-- harbour/public/templates/status.html --
<h1>{{code}}</h1><p id="policy">{{policy}}</p><a href="/_fw/signin">Sign in</a>
-- harbour/public/templates/crew.html --
<h1>Crew</h1>
{{#each users}}<form method="post" action="/crew">{{csrf}}<input type="hidden" name="id" value="{{id}}"><button>Make {{email}} a pilot</button></form>{{/each}}
`;

let dev: Dev;
let browser: Browser;
// This Chromium exits when its last page closes, so one page serves all tests.
let page: Page;
let devtools: CDPSession;
const at = (path: string): string => `http://localhost:${dev.port}${path}`;
const heading = (): Promise<string | null> => page.locator("h1").first().textContent();

beforeAll(async () => {
  [dev, browser] = await Promise.all([startDev(Object.fromEntries(filesOf(harbour))), launchBrowser()]);
  if (!dev.output().includes("ready in")) throw new Error(dev.output());
  page = await browser.newPage();
  await page.addInitScript({ path: fileURLToPath(new URL("support/in-page.js", import.meta.url)) });
  devtools = await page.context().newCDPSession(page);
});
afterAll(async () => {
  await browser?.close();
  await dev?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await devtools.send("Emulation.setScriptExecutionDisabled", { value: false });
  await page.context().clearCookies();
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 800, height: 900 });
});

/** Turns JavaScript off in the page. */
async function withoutScripts(): Promise<void> {
  await devtools.send("Emulation.setScriptExecutionDisabled", { value: true });
}

// The functions of `support/in-page.js`, injected into every page.
const focused = (): Promise<string> => page.evaluate("focusedName()");
const faint = (): Promise<string[]> => page.evaluate("faintTexts()");

const bar = (): Locator => page.locator("#fw-dev-bar");

/** Opens the bar, and clicks a button or a link in it. */
async function clickInBar(role: "button" | "link", name: string): Promise<void> {
  await bar().locator("summary").click();
  await bar().getByRole(role, { name }).click();
}

describe("the sign-in page", () => {
  test("is used by the keyboard alone: Space ticks, Enter signs in", async () => {
    await page.goto(at("/_fw/signin?next=/chart"));
    await expect.poll(focused).toBe("master");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("pilot");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/chart"));
    expect(await page.locator("#who").textContent()).toBe("alice@example.com");
  });

  test("is walked through in the order in which it is read", async () => {
    await page.goto(at("/_fw/signin"));
    await expect.poll(focused).toBe("master");
    const order: string[] = [];
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press("Tab");
      order.push(await focused());
    }
    expect(order).toEqual(["pilot", "Sign in as alice", "Sign in as bob", "Email", "Password", "Sign in"]);
  });

  test("gives every control a name, and every browser what it needs to fill it in", async () => {
    await page.goto(at("/_fw/signin"));
    await page.getByRole("group", { name: "Roles" }).getByRole("checkbox", { name: "pilot" }).check();
    expect(await page.getByLabel("Email").getAttribute("autocomplete")).toBe("username");
    expect(await page.getByLabel("Password").getAttribute("autocomplete")).toBe("current-password");
    expect(await page.getByRole("group", { name: "Roles" }).getAttribute("aria-describedby")).toBe("roles-hint");
    expect(await page.locator("h1").count()).toBe(1);
  });

  test("works with JavaScript disabled", async () => {
    await withoutScripts();
    await page.goto(at("/_fw/signin?next=/chart"));
    await page.getByLabel("pilot").check();
    await page.getByRole("button", { name: "Sign in as bob" }).click();
    await page.waitForURL(at("/chart"));
    expect(await page.locator("#who").textContent()).toBe("bob@example.com");
  });

  test("says what was wrong, keeps the address and asks for the password again", async () => {
    const created = await page.request.post(at("/accounts"), {
      data: { email: "ann@example.com", password: "correct horse" },
    });
    expect(created.status()).toBe(200);
    await page.goto(at("/_fw/signin?next=/berth"));
    await page.getByLabel("Email").fill("ann@example.com");
    await page.getByLabel("Password").fill("wrong");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.textContent()).toBe("that email and password do not match an account");
    await expect.poll(focused).toBe("Password");
    expect(await page.getByLabel("Email").inputValue()).toBe("ann@example.com");
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    expect(await page.getByLabel("Password").getAttribute("aria-describedby")).toBe(await alert.getAttribute("id"));
    await page.keyboard.type("correct horse");
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/berth"));
    await page.goto(at("/_fw/signin"));
    expect(await page.locator("dd").first().textContent()).toBe("ann@example.com");
  });

  test.each(["light", "dark"] as const)("has the contrast of 4.5 to 1 in the %s", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(at("/_fw/signin"));
    const background = await page.evaluate(`getComputedStyle(document.documentElement).backgroundColor`);
    expect(background).toBe(colorScheme === "dark" ? "rgb(16, 18, 22)" : "rgb(244, 245, 247)");
    expect(await faint()).toEqual([]);
    await page.getByLabel("Email").fill("x@example.com");
    await page.getByLabel("Password").fill("x");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await faint()).toEqual([]);
  });

  test.each([
    ["320 pixels", 320, "100%"],
    ["text of twice the size", 640, "200%"],
    ["both", 320, "200%"],
  ])("fits into %s without scrolling sideways", async (_, width, size) => {
    await page.setViewportSize({ width, height: 600 });
    await page.goto(at("/_fw/signin"));
    // The page's policy blocks injected style sheets, but lets scripts set the `style` property.
    await page.evaluate(`document.documentElement.style.fontSize = "${size}"`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await page.getByRole("button", { name: "Sign in as bob" }).click();
    await page.waitForURL(at("/"));
  });

  test("breaks none of its own policy", async () => {
    const messages: string[] = [];
    page.on("console", (message) => messages.push(`${message.location().url} ${message.text()}`));
    await page.goto(at("/_fw/signin"));
    await page.getByRole("button", { name: "Sign in as alice" }).click();
    await page.waitForURL(at("/"));
    await page.goto(at("/_fw/signin"));
    expect(messages.filter((each) => each.includes("/_fw/"))).toEqual([]);
  });
});

describe("the dev bar", () => {
  test("signs in as alice, switches to bob and signs out, with JavaScript disabled, and the page stays", async () => {
    await withoutScripts();
    await page.goto(at("/?tide=high"));
    await clickInBar("button", "Sign in as alice");
    await bar().getByText("alice (no roles)").waitFor();
    await clickInBar("button", "Switch to bob");
    await bar().getByText("bob (no roles)").waitFor();
    await clickInBar("button", "Sign out");
    await bar().getByText("Not signed in").waitFor();
    expect(page.url()).toBe(at("/?tide=high"));
  });

  test("leads to the boxes of roles and back, and keeps the roles of a test user", async () => {
    await page.goto(at("/?tide=low"));
    await clickInBar("link", "Choose roles");
    await page.getByLabel("pilot").check();
    await page.getByRole("button", { name: "Sign in as alice" }).click();
    await page.waitForURL(at("/?tide=low"));
    await bar().getByText("alice (pilot)").waitFor();
    await clickInBar("button", "Switch to bob");
    await bar().getByText("bob").waitFor();
    await clickInBar("button", "Switch to alice");
    await bar().getByText("alice (pilot)").waitFor();
  });

  test("moves nothing of the page, and the page's style does not reach into it", async () => {
    await page.goto(at("/"));
    expect(await page.evaluate("barButton()")).toEqual({ color: "rgb(27, 31, 39)", marginLeft: "0px" });
    const before = await page.evaluate("layout()");
    await page.evaluate(`document.querySelector("#fw-dev-bar").remove()`);
    expect(await page.evaluate("layout()")).toEqual(before);
  });

  test("can be hidden or moved with a CSS rule on #fw-dev-bar, and folded", async () => {
    await page.goto(at("/"));
    const { x = 0, y = 0, height = 0 } = (await bar().boundingBox()) ?? {};
    expect([x, y + height]).toEqual([12, 888]);
    expect(height).toBeLessThan(32);
    expect(await bar().getByRole("button").count()).toBe(0);
    await bar().getByText("Not signed in").click();
    expect((await bar().boundingBox())?.height).toBeGreaterThan(height);
    await bar().getByText("Not signed in").click();
    await page.addStyleTag({ url: at("/moved.css") });
    expect((await bar().boundingBox())?.y).toBe(30);
    await page.addStyleTag({ url: at("/hidden.css") });
    expect(await bar().isVisible()).toBe(false);
  });

  test("hides no control that the keyboard reaches", async () => {
    await page.goto(at("/"));
    await page.evaluate("addLinks(60)");
    for (let i = 0; i < 61; i++) {
      await page.keyboard.press("Tab");
      // The page scrolls to the control after focusing it.
      await expect.poll(() => page.evaluate("focusAndBar()")).toMatch(/^(?:beside the bar|the bar itself)$/);
    }
  });

  test("moves aside for a fixed navigation, and at the end of a page for a button", async () => {
    await page.setViewportSize({ width: 390, height: 760 });
    await page.goto(at("/"));
    const style = "position: fixed; inset: auto 0 0 0; height: 60px; background: white; margin: 0";
    await page.evaluate(`document.body.insertAdjacentHTML("afterbegin", '<nav style="${style}"><a href="/">Home</a></nav>');
      dispatchEvent(new Event("resize"))`);
    const bottom = async (): Promise<number> => {
      const { y = 0, height = 0 } = (await bar().boundingBox()) ?? {};
      return y + height;
    };
    await expect.poll(bottom).toBeLessThanOrEqual(700);
    await expect.poll(() => page.evaluate("linesBelowBar()")).toBe(0);
    await page.goto(at("/"));
    await page.evaluate(`document.body.insertAdjacentHTML("beforeend", '<p style="height: 150vh"></p><button style="margin: 0">Save</button>');
      scrollTo(0, document.documentElement.scrollHeight)`);
    await expect.poll(() => page.evaluate("linesBelowBar()")).toBe(0);
  });

  test("covers no text: a page full of it leaves a strip at the edge, which opens under the pointer", async () => {
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 760 });
      await page.goto(at("/"));
      await page.evaluate(
        `document.body.insertAdjacentHTML("beforeend", "<p>" + "A sentence of the page. ".repeat(2_000) + "</p>")`,
      );
      for (const y of [0, 700, 1_400, 100_000]) {
        await page.evaluate(`scrollTo(0, ${y})`);
        await expect.poll(() => page.evaluate("linesBelowBar()")).toBe(0);
      }
      await bar().hover();
      await bar().getByText("Not signed in").click();
      await bar().getByRole("link", { name: "Choose roles" }).waitFor();
    }
    await page.setViewportSize({ width: 800, height: 900 });
  });

  test("comes along when a script puts in a page that it fetched", async () => {
    await page.goto(at("/chart"));
    await page.evaluate("swapBody('/')");
    expect(await heading()).toBe("Quay");
    await clickInBar("button", "Sign in as bob");
    await page.waitForURL(at("/"));
    await bar().getByText("bob").waitFor();
  });

  test("breaks nothing of the page's content security policy", async () => {
    const messages: string[] = [];
    page.on("console", (message) => messages.push(message.text()));
    await page.goto(at("/chart"));
    await clickInBar("button", "Sign in as alice");
    await bar().getByText("alice").waitFor();
    expect(messages.filter((each) => /fw-dev|_fw|form-action/.test(each))).toEqual([]);
  });
});

describe("a session, from sign-in to sign-out", () => {
  test("sign-in, forbidden, granted, allowed without a new sign-in, sign-out", async () => {
    await page.goto(at("/berth"));
    expect(await heading()).toBe("401");
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign in as bob" }).click();
    await page.waitForURL(at("/"));
    await page.goto(at("/chart"));
    expect([await heading(), await page.locator("#policy").textContent()]).toEqual(["403", "isPilot"]);

    const bob = await page.context().cookies();
    await page.context().clearCookies();
    await page.goto(at("/_fw/signin?next=/crew"));
    await page.getByLabel("master").check();
    await page.getByRole("button", { name: "Sign in as alice" }).click();
    const grantResponse = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: "Make bob@example.com a pilot" }).click();
    expect((await grantResponse).status()).toBe(303);
    await page.waitForLoadState();

    await page.context().clearCookies();
    await page.context().addCookies(bob);
    await page.goto(at("/chart"));
    expect([await heading(), await page.locator("#who").textContent()]).toEqual(["Chart", "bob@example.com"]);
    await clickInBar("button", "Sign out");
    await bar().getByText("Not signed in").waitFor();
    expect([page.url(), await heading()]).toEqual([at("/chart"), "401"]);
    await page.context().addCookies(bob);
    await page.reload();
    expect(await heading()).toBe("401");
  });

  test("a form of another site cannot sign users in or out", async () => {
    await page.goto(at("/"));
    await clickInBar("button", "Sign in as alice");
    await bar().getByText("alice").waitFor();
    await page.route("http://elsewhere.test/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${at("/_fw/api/session")}"><input name="dev_user" value="bob"></form>
          <form method="post" action="${at("/_fw/api/session/signout")}"></form>`,
      }),
    );
    for (const form of [0, 1]) {
      await page.goto("http://elsewhere.test/");
      const answer = page.waitForResponse((response) => response.url().startsWith(at("/_fw/api/session")));
      await page.evaluate(`document.forms[${form}].submit()`);
      expect((await answer).status()).toBe(403);
      await page.waitForURL(/^http:\/\/localhost/);
    }
    await page.goto(at("/"));
    await bar().getByText("alice").waitFor();
  });

  test("scripts cannot read the session's cookie, and a script signs in and out by fetch", async () => {
    await page.goto(at("/"));
    const answers = await page.evaluate("signInAndOut()");
    expect(answers).toEqual([200, "alice@example.com", "", 200, 204, 401]);
  });
});
