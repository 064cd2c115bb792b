import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { bundledSite, modes, openSite, secret, serveSite, siteFolder } from "../testing/site.ts";

const prefixes = [
  "/",
  "//",
  "/./",
  "/docs/",
  "/docs/../",
  "/docs/%2e%2e/",
  "/app.css/",
  "/app.css/../",
  "/empty/",
  "/%2e/",
  "/..;/",
  "/link-up/",
  "/link-docs/",
  "/nothing/../",
  "/%00/",
  "/docs%2f",
  "/docs\\",
];
const ups = [
  "../",
  "..%2f",
  "..%2F",
  "..\\",
  "..%5c",
  "%2e%2e/",
  "%2e%2e%2f",
  "%2E%2E%5C",
  ".%2e/",
  "%252e%252e%252f",
  "%c0%ae%c0%ae/",
  "%c0%ae%c0%ae%c0%af",
  "%e0%80%ae%e0%80%ae/",
  "..%c0%af",
  "..%u2215",
  "%uff0e%uff0e/",
  "....//",
  "..././",
  "..;/",
  "..%00/",
  "..%0d/",
  "\uff0e\uff0e/",
  "..\u2215",
  "C:/",
  "file:///",
];
const outside = ["secret.txt", "outside/index.html", "outside/", "web-other/index.html", "web/.env"];
const inside = [
  ".env",
  ".git/config",
  ".well-known/.hidden",
  "docs/.htaccess",
  "templates/layout.html",
  "templates/deep/page.html",
  "Templates/other.html",
  "_fw/z/index.html",
  "_fw/z/",
  "link-out.txt",
  "link-outside/index.html",
  "link-outside/",
  "link-other/",
  "link-env",
  "link-git/config",
  "link-templates/layout.html",
  "link-layout.html",
  "link-root/etc/passwd",
  "link-loop",
];
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.replaceAll(".", "%2e"),
  (path) => path.replaceAll("/", "%2f"),
  (path) => path.replaceAll("/", "\\"),
  (path) => path.replaceAll("/", "%5c"),
  (path) => path.replaceAll("/", "//"),
  (path) => path.replaceAll("/", "/./"),
  (path) => path.replaceAll("t", "%74"),
  (path) => path.replaceAll("t", "%2574"),
  (path) => path.toUpperCase(),
  (path) => path.replace("templates", "Templates"),
  (path) => path.replace("templates", "template\u017f"),
  (path) => path.replaceAll(".", "%c0%ae"),
  (path) => path.replaceAll(".", "\uff0e"),
];
const suffixes = [
  "",
  "/",
  "%00",
  "%00.css",
  "%20",
  ".",
  "%2e",
  "/.",
  "::$DATA",
  "::$INDEX_ALLOCATION/layout.html",
  "~1",
  ";.css",
  "%0a",
  "?x",
  "#x",
  "%2findex.html",
  ".br",
];

/** Returns paths to files that a site must not serve: every target in every spelling behind every prefix. */
function vectors(): string[] {
  const paths = new Set<string>();
  for (const prefix of prefixes) {
    for (const up of ups)
      for (const target of outside) for (const depth of [1, 2, 6]) paths.add(prefix + up.repeat(depth) + target);
    for (const target of inside) for (const spell of spellings) paths.add(prefix + spell(target));
  }
  for (const target of inside)
    for (const suffix of suffixes) for (const spell of spellings.slice(0, 4)) paths.add(`/${spell(target)}${suffix}`);
  for (const target of ["con", "nul", "aux.txt", "com1", "CON", "app.css:stream", "app.css::$DATA", "APP~1.CSS"])
    paths.add(`/${target}`);
  paths.add("/etc/passwd");
  paths.add("file:///etc/passwd");
  return [...paths];
}

/** Resolves with everything that a server sends in response to these raw request targets. */
function ask(port: number, targets: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      const requests = targets.map(
        (target, i) =>
          `GET ${target} HTTP/1.1\r\nHost: x\r\n${i === targets.length - 1 ? "Connection: close\r\n" : ""}\r\n`,
      );
      socket.write(requests.join(""));
    });
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1]);

describe.each(modes)("a site served %s", (_, assets) => {
  test("no dotfile, template or file outside of it is ever sent, however its path is written", async () => {
    using folder = siteFolder();
    await using server = await serveSite(openSite(bundledSite(folder.dir, await assets(folder.dir))));
    const paths = vectors();
    expect(paths.length).toBeGreaterThan(3_700);
    // eslint-disable-next-line no-control-regex
    const plain = paths.filter((path) => /^[\x21-\x7e]*$/.test(path));
    const odd = paths.filter((path) => !plain.includes(path));
    for (let i = 0; i < plain.length; i += 200) {
      const batch = plain.slice(i, i + 200);
      const text = await ask(server.port, batch);
      expect(text.includes(secret) || text.includes("root:"), `one of ${batch.join(" ")}`).toBe(false);
      expect(statuses(text)).toHaveLength(batch.length);
    }
    for (const path of odd) expect(await ask(server.port, [path]), path).not.toContain(secret);
  });

  test("the same files under harmless names are sent", async () => {
    using folder = siteFolder();
    folder.write("open.txt", secret);
    await using server = await serveSite(openSite(bundledSite(folder.dir, await assets(folder.dir))));
    expect(await ask(server.port, ["/open.txt"])).toContain(secret);
  });
});
