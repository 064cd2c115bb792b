import { describe, expect, test } from "vitest";
import { apis, bundleOf, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { bundledSite, siteFolder } from "../testing/site.ts";

/** Starts an application with routes and a site on the same origin. */
async function startApp(routes: readonly string[], redirects: Record<string, string> = {}) {
  const folder = siteFolder();
  const site = bundledSite(folder.dir, { redirects });
  const app = await start(
    bundleOf(apis(Object.fromEntries(routes.map((route) => [route, () => ({ route })]))), { site }),
  );
  return {
    ask: (target: string, method = "GET") =>
      request(app.port, target, method === "GET" || method === "HEAD" ? {} : { "Content-Length": "0" }, method),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe("routes and files share one origin", () => {
  test("a declared route comes before a file and a redirect", async () => {
    await using app = await startApp(["GET /app.css", "GET /old"], { "/old": "/new" });
    expect((await app.ask("/app.css")).body).toBe('{"route":"GET /app.css"}');
    expect((await app.ask("/old")).body).toBe('{"route":"GET /old"}');
  });

  test("a file's name comes before a parameter that would take it", async () => {
    await using app = await startApp(["GET /{slug}"]);
    expect((await app.ask("/app.css")).headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect((await app.ask("/docs")).body).toBe('{"route":"GET /{slug}"}');
    expect((await app.ask("/nothing.css")).body).toBe('{"route":"GET /{slug}"}');
  });

  test("a redirect comes before a file", async () => {
    await using app = await startApp([], { "/app.css": "/new.css" });
    expect((await app.ask("/app.css")).headers.get("location")).toBe("/new.css");
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("%s of a file is a 405 with Allow", async (method) => {
    await using app = await startApp([]);
    const answer = await app.ask("/app.css", method);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("a file and a route of another method share a path", async () => {
    await using app = await startApp(["POST /app.css"]);
    expect((await app.ask("/app.css")).headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect((await app.ask("/app.css", "POST")).body).toBe('{"route":"POST /app.css"}');
    expect((await app.ask("/app.css", "PUT")).headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
  });

  test("what is hidden is a 404, in every method", async () => {
    await using app = await startApp([]);
    for (const path of ["/templates/layout.html", "/.env", "/link-out.txt"]) {
      expect((await app.ask(path)).status).toBe(404);
      expect((await app.ask(path, "POST")).status).toBe(404);
    }
  });
});
