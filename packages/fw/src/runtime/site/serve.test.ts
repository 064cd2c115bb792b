import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFiles } from "../../lib/testing/open-files.ts";
import { beginReading, request, until } from "../testing/server.ts";
import { bundledSite, css, modes, openSite, serveSite, siteFolder } from "../testing/site.ts";

describe.each(modes)("a site served %s", (_, assets) => {
  async function start(redirects: Record<string, string> = {}, more: Record<string, Uint8Array> = {}) {
    const folder = siteFolder();
    for (const [path, content] of Object.entries(more)) folder.write(path, content);
    const server = await serveSite(openSite(bundledSite(folder.dir, { redirects, ...(await assets(folder.dir)) })));
    return {
      folder,
      url: server.url,
      get: (target: string, headers: Record<string, string> = {}, method = "GET") =>
        request(server.port, target, headers, method),
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        folder[Symbol.dispose]();
      },
    };
  }

  let site: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    site = await start();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test("a file with a fingerprint in its name is public, immutable and kept for a year", async () => {
    const answer = await site.get("/app.3f2a91bc.js");
    expect([answer.status, answer.body, answer.headers.get("cache-control")]).toEqual([
      200,
      "hashed()",
      "public, max-age=31536000, immutable",
    ]);
  });

  test("every other file is no-cache with a strong ETag", async () => {
    for (const path of ["/", "/app.css", "/report-20261121.pdf", "/docs/"]) {
      const answer = await site.get(path);
      expect(answer.headers.get("cache-control")).toBe("no-cache");
      expect(answer.headers.get("etag")).toMatch(/^"[\w-]{27}"$/);
    }
  });

  test("an ETag is that of the content, in every place and at every time", async () => {
    await using one = await start();
    await using two = await start();
    expect((await one.get("/docs/")).headers.get("etag")).toBe((await two.get("/docs/index.html")).headers.get("etag"));
    expect((await one.get("/docs/")).headers.get("etag")).not.toBe((await one.get("/")).headers.get("etag"));
  });

  test("If-None-Match with it answers 304", async () => {
    const etag = (await site.get("/big.bin")).headers.get("etag")!;
    const answer = await site.get("/big.bin", { "If-None-Match": `"x", W/${etag}` });
    expect([answer.status, answer.body, answer.headers.get("etag"), answer.headers.get("cache-control")]).toEqual([
      304,
      "",
      etag,
      "no-cache",
    ]);
  });

  test.each([
    ["/", "text/html; charset=utf-8", "<h1>home</h1>"],
    ["/docs/", "text/html; charset=utf-8", "<h1>docs</h1>"],
    ["/docs/index.html", "text/html; charset=utf-8", "<h1>docs</h1>"],
    ["/docs/a%20b.txt", "text/plain; charset=utf-8", "blank"],
    ["/docs/na%C3%AFve.txt", "text/plain; charset=utf-8", "umlaut"],
    ["/docs/templates/example.html", "text/html; charset=utf-8", "not the site's templates"],
    ["/app.css?v=1", "text/css; charset=utf-8", css],
    ["/link-in.css", "text/css; charset=utf-8", css],
    ["/link-docs/", "text/html; charset=utf-8", "<h1>docs</h1>"],
    ["/.well-known/security.txt", "text/plain; charset=utf-8", "Contact: mailto:a@example.com"],
    ["/app.css.br", "application/octet-stream", undefined],
  ])("%s is %s", async (path, type, body) => {
    const answer = await site.get(path);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-content-type-options")]).toEqual([
      200,
      type,
      "nosniff",
    ]);
    if (body !== undefined) expect(answer.body).toBe(body);
  });

  test.each([
    "/nothing",
    "/empty",
    "/empty/",
    "/app.css/",
    "/docs/nothing",
    "/docs//index.html",
    "//",
    "/APP.CSS",
    "/%",
    "/%zz",
    "/docs%2Findex.html",
  ])("%s is not found", async (path) => {
    expect((await site.get(path)).status).toBe(404);
  });

  test("a directory without its slash is redirected to it, query and all", async () => {
    const answer = await site.get("/docs?a=1&b");
    expect([answer.status, answer.headers.get("location"), answer.headers.get("content-length")]).toEqual([
      301,
      "/docs/?a=1&b",
      "0",
    ]);
  });

  test.each([
    ["/old", 301, "/new"],
    ["/old?a=1", 301, "/new?a=1"],
    ["/with-query?a=1", 301, "/new?x=y&a=1"],
    ["/with-hash?a=1", 301, "/new?a=1#part"],
    ["/away?a=1", 301, "https://example.com/?a=1"],
    ["/caf%C3%A9", 301, "/%C3%A9t%C3%A9"],
    ["/app.css", 301, "/old.css"],
    ["/old/", 404, undefined],
    ["/Old", 404, undefined],
  ])("a declared redirect: %s answers %i to %s", async (path, status, location) => {
    await using site = await start({
      "/old": "/new",
      "/with-query": "/new?x=y",
      "/with-hash": "/new#part",
      "/away": "https://example.com/",
      "/café": "/été",
      "/app.css": "/old.css",
    });
    const answer = await site.get(path);
    expect([answer.status, answer.headers.get("location")]).toEqual([status, location]);
  });

  test("HEAD answers the headers of GET without a body", async () => {
    const [head, get] = [await site.get("/big.bin", {}, "HEAD"), await site.get("/big.bin")];
    expect([head.status, head.body, head.headers.get("content-length")]).toEqual([200, "", "300000"]);
    for (const name of ["etag", "content-type", "cache-control", "accept-ranges"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  });

  test.each([
    ["bytes=0-9", 206, "0123456789"],
    ["bytes=-3", 206, "789"],
    ["bytes=299999-", 206, "9"],
    ["bytes=300000-", 416, ""],
  ])("Range: %s answers %i", async (range, status, body) => {
    const answer = await site.get("/big.bin", { Range: range });
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  test("a large range arrives whole", async () => {
    const answer = await site.get("/big.bin", { Range: "bytes=5-200004" });
    expect([answer.status, answer.body.length, answer.body.slice(0, 5)]).toEqual([206, 200_000, "56789"]);
  });

  test("If-Range with another ETag answers the whole file", async () => {
    const etag = (await site.get("/big.bin")).headers.get("etag")!;
    expect((await site.get("/big.bin", { Range: "bytes=0-1", "If-Range": etag })).status).toBe(206);
    expect((await site.get("/big.bin", { Range: "bytes=0-1", "If-Range": '"x"' })).status).toBe(200);
  });

  test.each([
    ["gzip, deflate, br", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["BR", "br"],
    ["*", "br"],
    ["br;q=0, gzip;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["identity", undefined],
    ["deflate", undefined],
    ["", undefined],
    ["br;q=2", undefined],
    ["gzip;q=0.2, identity;q=0.8", undefined],
  ])("a compressed sibling is sent to who accepts it: Accept-Encoding: %s", async (accept, encoding) => {
    const answer = await site.get("/app.css", { "Accept-Encoding": accept });
    const body = Buffer.from(answer.body, "latin1");
    const decoded = encoding === "br" ? brotliDecompressSync(body) : encoding === "gzip" ? gunzipSync(body) : body;
    expect([answer.headers.get("content-encoding"), answer.headers.get("vary"), decoded.toString()]).toEqual([
      encoding,
      "Accept-Encoding",
      css,
    ]);
    expect([answer.headers.get("content-type"), Number(answer.headers.get("content-length"))]).toEqual([
      "text/css; charset=utf-8",
      body.length,
    ]);
  });

  test("each encoding has an ETag of its own, and its 304 varies too", async () => {
    const answers = await Promise.all(
      ["br", "gzip", "identity"].map((accept) => site.get("/app.css", { "Accept-Encoding": accept })),
    );
    const etags = answers.map((answer) => answer.headers.get("etag")!);
    expect(new Set(etags).size).toBe(3);
    const again = await site.get("/app.css", { "Accept-Encoding": "br", "If-None-Match": etags[0]! });
    expect([again.status, again.headers.get("vary"), again.headers.has("content-encoding")]).toEqual([
      304,
      "Accept-Encoding",
      false,
    ]);
    expect((await site.get("/app.css", { "Accept-Encoding": "br", "If-None-Match": etags[2]! })).status).toBe(200);
  });

  test("a sibling that does not hold the file's content is left alone", async () => {
    const answer = await site.get("/stale.js", { "Accept-Encoding": "gzip" });
    expect([answer.headers.get("content-encoding"), answer.headers.get("vary"), answer.body]).toEqual([
      undefined,
      undefined,
      "new()",
    ]);
  });

  test("no descriptor stays open, also when clients go away", async () => {
    // More than the buffers of two sockets can hold, so an unread response keeps its file open.
    await using site = await start({}, { "huge.bin": Buffer.alloc(24 * 1024 * 1024) });
    const open = (): number => openFiles(site.folder.dir).length;
    const sockets = await Promise.all(
      Array.from({ length: 5 }, () => beginReading(Number(new URL(site.url).port), "/huge.bin")),
    );
    expect(open()).toBe(5);
    expect((await (await fetch(`${site.url}/huge.bin`)).arrayBuffer()).byteLength).toBe(24 * 1024 * 1024);
    await until(() => open() === 5, "the file that was sent to be closed");
    for (const socket of sockets) socket.destroy();
    await until(() => open() === 0, "files to be closed");
  });
});

describe("a site served from its directory", () => {
  test("files that appear, change and go are seen at the next request", async () => {
    using folder = siteFolder();
    await using server = await serveSite(openSite(bundledSite(folder.dir)));
    const get = (path: string) => request(server.port, path);
    const first = await get("/app.css");
    folder.write("app.css", "p {}");
    const second = await get("/app.css");
    expect([second.body, second.headers.get("etag") === first.headers.get("etag")]).toEqual(["p {}", false]);
    folder.write("new/index.html", "new");
    expect((await get("/new")).status).toBe(301);
    folder.remove("app.css");
    expect((await get("/app.css")).status).toBe(404);
  });

  test("a directory that does not exist yet is no error", async () => {
    using folder = siteFolder();
    const files = openSite(bundledSite(`${folder.dir}/later`));
    expect(files.lookup("/index.html", "")).toBeUndefined();
    folder.write("later/index.html", "there");
    expect(files.lookup("/", "")?.kind).toBe("asset");
  });

  test("HTML documents can be changed on their way out, and only they", async () => {
    using folder = siteFolder();
    const files = openSite(bundledSite(folder.dir));
    await using server = await serveSite(files, { document: (html) => `${html}<script></script>` });
    const answer = await request(server.port, "/");
    expect([answer.body, answer.headers.get("content-length")]).toEqual(["<h1>home</h1><script></script>", "30"]);
    expect((await request(server.port, "/", { "If-None-Match": answer.headers.get("etag")! })).status).toBe(304);
    expect((await request(server.port, "/app.css")).body).toBe(css);
  });
});

describe("a site served from a table", () => {
  test("a file that has gone since is not found", async () => {
    using folder = siteFolder();
    const assets = await modes[1]![1](folder.dir);
    await using server = await serveSite(openSite(bundledSite(folder.dir, assets)));
    folder.remove("big.bin");
    expect((await request(server.port, "/big.bin")).status).toBe(404);
  });

  test("a small file is kept in memory", async () => {
    using folder = siteFolder();
    const assets = await modes[1]![1](folder.dir);
    await using server = await serveSite(openSite(bundledSite(folder.dir, assets)));
    const first = await request(server.port, "/docs/");
    folder.remove("docs/index.html");
    expect((await request(server.port, "/docs/")).body).toBe(first.body);
    expect((await request(server.port, "/docs/", { Range: "bytes=1-2" })).body).toBe("h1");
  });

  test("a file that has become shorter is never sent as if it were whole", async () => {
    using folder = siteFolder();
    const assets = await modes[1]![1](folder.dir);
    await using server = await serveSite(openSite(bundledSite(folder.dir, assets)));
    folder.write("big.bin", Buffer.alloc(100_000));
    await expect(fetch(`${server.url}/big.bin`).then((answer) => answer.text())).rejects.toThrow();
    folder.write("docs/index.html", "x");
    expect((await request(server.port, "/docs/")).status).toBe(500);
  });
});
