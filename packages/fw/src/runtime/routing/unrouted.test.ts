import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { blob } from "../../declare/blob.ts";
import { apis, bundleOf, documentOf, pages, siteOf, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";

const routes = [
  ...apis({ "POST /app.css": () => "posted", "GET /blob": () => blob("<b>", { type: "text/html", etag: "v1" }) }),
  ...pages({
    "GET /": () => documentOf("home"),
    "GET /{slug}": () => documentOf("wildcard"),
    "GET /{a}/{b}": () => documentOf("two"),
  }),
];

async function site(files: Record<string, string>) {
  const dir = await mkdtemp(join(tmpdir(), "fw-unrouted-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const { assets: _, ...inDev } = siteOf({ dir, redirects: { "/old": "/new", "/very/old/path": "/new" } });
  const decorate = (html: string) => `${html}+reload`;
  const app = await start(bundleOf(routes, { site: inDev }), { decorate });
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app.close();
      await rm(dir, { recursive: true });
    },
  };
}

test("static files and dynamic routes share one origin", async () => {
  await using app = await site({ "docs/deep/guide.txt": "guide" });
  expect((await request(app.port, "/")).body).toBe("home+reload");
  const file = await request(app.port, "/docs/deep/guide.txt");
  expect([file.status, file.body]).toEqual([200, "guide"]);
  expect(file.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
});

test("a literal beats a wildcard: a file is served though a route's parameter would take its name", async () => {
  await using app = await site({ "app.css": "body{}", "docs/a.txt": "a" });
  expect((await request(app.port, "/app.css")).body).toBe("body{}");
  expect((await request(app.port, "/docs/a.txt")).body).toBe("a");
  expect((await request(app.port, "/other.css")).body).toContain("wildcard");
});

test("a route beats a file of the same name", async () => {
  await using app = await site({ "index.html": "file" });
  expect((await request(app.port, "/")).body).toContain("home");
});

test("a file's path answers the methods of its routes too", async () => {
  await using app = await site({ "app.css": "body{}" });
  expect((await request(app.port, "/app.css", {}, "POST")).body).toBe('"posted"');
  expect((await request(app.port, "/app.css", {}, "PUT")).status).toBe(405);
  const options = await request(app.port, "/app.css", {}, "OPTIONS");
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, POST"]);
});

test("a site's redirect is 301", async () => {
  await using app = await site({});
  const answer = await request(app.port, "/very/old/path");
  expect([answer.status, answer.headers.get("location")]).toEqual([301, "/new"]);
});

test("HTML files are documents and are decorated as such", async () => {
  await using app = await site({ "a/b/c.html": "<p>", "a/b/c.txt": "text" });
  expect((await request(app.port, "/a/b/c.html")).body).toBe("<p>+reload");
  expect((await request(app.port, "/a/b/c.txt")).body).toBe("text");
});

test("a handler's blob is streamed with its own Content-Type, and matches If-None-Match", async () => {
  await using app = await site({});
  const answer = await request(app.port, "/blob");
  expect([answer.status, answer.body, answer.headers.get("content-type")]).toEqual([200, "<b>", "text/html"]);
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
  expect((await request(app.port, "/blob", { "If-None-Match": '"v1"' })).status).toBe(304);
});

test("a site's fallback answers browsers that go to a path which nothing else has, and no one else", async () => {
  const dir = await mkdtemp(join(tmpdir(), "fw-fallback-"));
  await writeFile(join(dir, "index.html"), "<p>router</p>");
  const { assets: _, ...inDev } = siteOf({ dir, fallback: "index.html" });
  const endpoints = [...apis({ "GET /api/notes": () => 1, "GET /version": () => 2 })];
  await using app = await start(bundleOf(endpoints, { site: inDev }));
  const browser = { Accept: "text/html,*/*;q=0.8" };
  const ask = async (path: string, headers = {}, method = "GET") => {
    const { status, body } = await request(app.port, path, headers, method);
    return [status, body];
  };
  for (const path of ["/", "/settings/profile", "/users/jane.doe", "/version/2?x=1"]) {
    expect([path, ...(await ask(path, browser))]).toEqual([path, 200, "<p>router</p>"]);
  }
  expect(await ask("/settings", browser, "HEAD")).toEqual([200, ""]);
  const missing = [404, '{"error":"not found"}'];
  expect(await ask("/settings/profile")).toEqual(missing);
  expect(await ask("/app.js", { Accept: "*/*" })).toEqual(missing);
  expect(await ask("/api/nots", browser)).toEqual(missing);
  expect(await ask("/version", browser)).toEqual([200, "2"]);
  expect((await ask("/settings", browser, "POST"))[0]).toBe(404);
  await rm(dir, { recursive: true });
});
