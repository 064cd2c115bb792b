import { expect, test } from "vitest";
import { isFingerprinted, isServed } from "./asset-name.ts";

test.each([
  ["app.3f2a91bc.js", true],
  ["app-3f2a91bc.js", true],
  ["app_3f2a91bc.js", true],
  ["app.3F2A91BC.js", true],
  ["app.87a41769dba6.min.css", true],
  ["3f2a91bc0d.css", true],
  ["app.12345678.js", true],
  ["app.js", false],
  ["app.3f2a91b.js", false],
  ["app.3f2a91bg.js", false],
  ["app3f2a91bc.js", false],
  ["index-BkdzX9Qa.js", false],
  ["report-20261121.pdf", false],
  ["backup_20261121093000.zip", false],
  ["app.20269999.js", true],
])("a fingerprint is a name segment of 8 or more hexadecimal digits, and no date: %s %s", (name, expected) => {
  expect(isFingerprinted(name)).toBe(expected);
});

test.each([
  ["index.html", true],
  ["docs/templates/a.html", true],
  [".well-known/acme-challenge/x", true],
  ["", false],
  [".env", false],
  ["docs/.env", false],
  [".well-known/.env", false],
  ["docs/.well-known/x", false],
  ["templates", false],
  ["TEMPLATES/a.html", false],
  ["_fw/x", false],
  ["a\\b", false],
  ["a:b", false],
  ["a.", false],
  ["a ", false],
  ["a\0", false],
  ["..", false],
])("what may be sent: %j %s", (path, expected) => {
  expect(isServed(path.split("/"))).toBe(expected);
});
