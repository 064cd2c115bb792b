import { expect, test } from "vitest";
import { contentType } from "./mime.ts";

test.each([
  ["index.html", "text/html; charset=utf-8"],
  ["APP.CSS", "text/css; charset=utf-8"],
  ["app.min.js", "text/javascript; charset=utf-8"],
  ["logo.svg", "image/svg+xml; charset=utf-8"],
  ["font.woff2", "font/woff2"],
  ["LICENSE", "application/octet-stream"],
  ["html", "application/octet-stream"],
  ["a.constructor", "application/octet-stream"],
  ["a.", "application/octet-stream"],
])("%s is %s", (name, type) => {
  expect(contentType(name)).toBe(type);
});
