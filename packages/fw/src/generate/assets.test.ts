import { expect, test } from "vitest";
import { siteFolder } from "../runtime/testing/site.ts";
import { assetTable, assetsModule } from "./assets.ts";

test("the table holds what may be sent, with its size, ETag and compressed siblings", async () => {
  using folder = siteFolder();
  const table = await assetTable(folder.dir);
  expect(Object.keys(table)).toEqual([
    ".well-known/security.txt",
    "app.3f2a91bc.js",
    "app.css",
    "app.css.br",
    "app.css.gz",
    "big.bin",
    "docs/a b.txt",
    "docs/index.html",
    "docs/naïve.txt",
    "docs/templates/example.html",
    "index.html",
    "link-docs/a b.txt",
    "link-docs/index.html",
    "link-docs/naïve.txt",
    "link-docs/templates/example.html",
    "link-in.css",
    "report-20261121.pdf",
    "stale.js",
    "stale.js.gz",
  ]);
  expect(table["app.css"]?.map((variant) => variant.encoding)).toEqual(["identity", "br", "gzip"]);
  expect(table["stale.js"]).toEqual([{ encoding: "identity", size: 5, etag: expect.stringMatching(/^[\w-]{27}$/) }]);
});

test("the table is the same however often it is made", async () => {
  using folder = siteFolder();
  expect(await assetTable(folder.dir)).toEqual(await assetTable(folder.dir));
});

test("the table as a module is the table, whatever its files are called", async () => {
  using folder = siteFolder();
  folder.write("__proto__", "x");
  const table = await assetTable(folder.dir);
  const module = (await import(`data:text/javascript,${encodeURIComponent(assetsModule(table))}`)) as {
    assets: object;
  };
  expect(Object.entries(module.assets)).toEqual(Object.entries(table));
  expect(Object.keys(table)).toContain("__proto__");
});
