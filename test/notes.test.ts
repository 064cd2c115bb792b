import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { copyOfExample } from "./support/fw.ts";
import { isBuilt, mostTopologies, type Running } from "./support/topologies.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each(mostTopologies)("the notes %s", (topology, start) => {
  const isDeployed = isBuilt([topology, start]);
  let server: Running;
  let url: string;
  let page: Page;
  /** The cookie of bob's session; the browser belongs to alice. */
  let cookie: string | undefined;

  beforeAll(async () => {
    server = await start(await copyOfExample("notes"));
    url = `http://localhost:${server.port}`;
    page = await browser.newPage();
    await signIn();
    const session = await send("POST", "/_fw/api/session", { dev_user: "bob" });
    cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  });

  afterAll(async () => {
    await page?.close();
    await server?.[Symbol.asyncDispose]();
  });

  test("the list shows the notes that come with the example", async () => {
    const anonymous = await (await fetch(url)).text();
    expect(anonymous).toContain("Onion soup");
    expect(anonymous).toContain("/_fw/signin?next=");
    await page.goto(url);
    await page.getByRole("heading", { name: "Onion soup" }).waitFor();
    expect(await page.title()).toBe("Notes");
    expect(await page.locator(".card").count()).toBe(4);
  });

  test.skipIf(isDeployed)("the dev bar changes nothing of how the page looks", async () => {
    await page.goto(url);
    const looks = (): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll("header *, main, main *")].map(
        (each) => JSON.stringify(Object.entries(getComputedStyle(each))))`);
    const before = await looks();
    expect(before.length).toBeGreaterThan(40);
    await page.locator("#fw-dev-bar").evaluate((bar) => bar.remove());
    expect(await looks()).toEqual(before);
  });

  test("typing in the search field replaces the list by a fragment and updates the address", async () => {
    await page.goto(url);
    const answer = page.waitForResponse((response) => response.url().includes("q=peregrine"));
    await page.getByLabel("Search notes").fill("peregrine");
    const fragment = await (await answer).text();
    expect(fragment).not.toContain("<html");
    await expect.poll(() => page.locator(".card").count()).toBe(1);
    expect(new URL(page.url()).search).toBe("?q=peregrine");
  });

  test("a note is written, previewed, shown, edited and deleted", async () => {
    await page.goto(`${url}/new`);
    await page.getByLabel("Title").fill("Bread & <butter>");
    await page.getByLabel("Text").fill("Flour, **water**, salt. #kitchen\n\n<script>document.title = 'owned'</script>");
    await page.locator("#preview strong").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Bread & <butter>" }).waitFor();
    expect(await page.title()).toContain("Bread & <butter>");
    expect(await page.locator(".prose script").count()).toBe(0);

    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Title").fill("Bread");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Bread", exact: true }).waitFor();

    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(`${url}/`);
    expect(await page.getByRole("heading", { name: "Bread", exact: true }).count()).toBe(0);
  });

  test("a form without its token is refused and nothing is written", async () => {
    const body = new URLSearchParams({ title: "Forged", body: "x" });
    const answer = await fetch(`${url}/new`, { method: "POST", body, headers: { cookie: cookie ?? "" } });
    expect(answer.status).toBe(403);
    const { notes } = (await (await fetch(`${url}/api/notes?q=forged`)).json()) as { notes: unknown[] };
    expect(notes).toEqual([]);
  });

  test("the same notes are JSON, and a wrong body names the field", async () => {
    const created = await send("POST", "/api/notes", { title: "From a script", body: "text" });
    expect(await created.json()).toMatchObject({ slug: "from-a-script", title: "From a script", tags: [] });
    const wrong = await send("POST", "/api/notes", { title: 3, body: "text" });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toEqual({ error: "body title: 3 is not a string" });
    expect((await send("DELETE", "/api/notes/from-a-script")).status).toBe(204);
    expect((await fetch(`${url}/api/notes/from-a-script`)).status).toBe(404);
  });

  test("a tag narrows the list, and pages follow one another without a gap or a repeat", async () => {
    for (let n = 1; n <= 12; n += 1)
      await send("POST", "/api/notes", { title: `Page ${n}`, body: `number ${n} #paged` });
    const slugs: string[] = [];
    let after = "";
    do {
      const answer = await fetch(`${url}/api/notes?tag=paged&limit=5&after=${encodeURIComponent(after)}`);
      const listing = (await answer.json()) as { notes: { slug: string }[]; next?: string };
      slugs.push(...listing.notes.map(({ slug }) => slug));
      after = listing.next ?? "";
    } while (after !== "");
    expect(slugs).toEqual(Array.from({ length: 12 }, (_, i) => `page-${12 - i}`));
    expect((await fetch(`${url}/api/notes?after=forged`)).status).toBe(400);
    expect((await fetch(`${url}/api/notes?limit=0`)).status).toBe(400);

    await page.goto(`${url}/?tag=paged`);
    expect(await page.locator(".card").count()).toBe(10);
    await page.getByRole("link", { name: "Older notes" }).click();
    await expect.poll(() => page.locator(".card").count()).toBe(2);
  });

  test("an unchanged markdown download is answered 304", async () => {
    const first = await fetch(`${url}/api/notes/onion-soup/markdown`);
    expect(first.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(first.url, { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
  });

  test("a mistyped address is the designed 404 in a browser and JSON for a client", async () => {
    const answer = await page.goto(`${url}/n/nothing-here`);
    expect(answer?.status()).toBe(404);
    await page.getByRole("heading", { name: "No such note" }).waitFor();
    const json = await fetch(`${url}/nowhere`, { headers: { accept: "application/json" } });
    expect([json.status, await json.json()]).toEqual([404, { error: "not found" }]);
  });

  test("the cached page sets no cookie; scripts and styles are immutable under their fingerprint", async () => {
    const about = await fetch(`${url}/about`);
    expect(about.headers.get("cache-control")).toBe("public, max-age=600");
    expect(about.headers.get("set-cookie")).toBeNull();
    const style = /href="(\/app\.[0-9a-f]+\.css)"/.exec(await about.text())?.[1] ?? "";
    const css = await fetch(url + style);
    expect(css.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  /** Signs in as alice: with a request if the application is built, otherwise on the page of test users. */
  async function signIn(): Promise<void> {
    if (isDeployed) await page.request.post(`${url}/_fw/api/session`, { form: { dev_user: "alice" }, maxRedirects: 0 });
    else {
      await page.goto(`${url}/_fw/signin`);
      await page.getByRole("button", { name: "Sign in as alice" }).click();
      await page.waitForURL(`${url}/`);
    }
  }

  async function send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(url + path, {
      method,
      headers: { "content-type": "application/json", ...(cookie === undefined ? {} : { cookie }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
});
