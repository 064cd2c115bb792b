import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../lib/testing/code-point.ts";
import { localPath, nextCharacters } from "./next.ts";

const elsewhere = [
  ["", "x", "evil.example", "evil.example/path", "./x", "../x", "?a=b", "#a", "%2f", "%2fx"],
  ["http://evil.example", "https://evil.example/", "HTTPS://EVIL.EXAMPLE", "http:evil.example", "http:/evil.example"],
  ["https:///evil.example", "ftp://evil.example", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x"],
  ["vbscript:x", "blob:http://evil.example/x", "file:///etc/passwd", "mailto:a@evil.example", "//", "//evil.example"],
  [
    "//evil.example/x",
    "///evil.example",
    "////evil.example",
    "//@evil.example",
    "//user@evil.example",
    "//evil.example:80",
  ],
  ["/\\evil.example", "/\\/evil.example", "\\/evil.example", "\\\\evil.example", "/\\\\evil.example", "\\evil.example"],
  ["/x\\..\\..//evil.example", "/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "/\r\n/evil.example"],
  ["\t//evil.example", " //evil.example", "\u0000//evil.example", "/\u0000/evil.example", "/\t\\evil.example"],
  ["/ok\r\nSet-Cookie: a=b", "/ok\nLocation: //evil.example", "/\u007f/evil.example", "/\u0085/evil.example"],
  ["/.//evil.example", "/..//evil.example", "/a/..//evil.example", "/a/b/../..//evil.example", "/%2e//evil.example"],
  [
    "/%2e%2e//evil.example",
    "/%2E%2E//evil.example",
    "/a/%2e%2e//evil.example",
    "/././/evil.example",
    "/a/.%2e//evil.example",
  ],
  ["/././/", "/..///evil.example", "/%2e%2e%2f/../..//evil.example"],
  [`/${"a".repeat(nextCharacters)}`],
].flat();

const unchangedPaths: Readonly<Record<string, string>> = {
  "/": "/",
  "/notes/1": "/notes/1",
  "/notes?tag=a&tag=b#end": "/notes?tag=a&tag=b#end",
  "/search?next=//evil.example": "/search?next=//evil.example",
  "/a//b": "/a//b",
  "/@evil.example": "/@evil.example",
  "/%2fevil.example": "/%2fevil.example",
  "/%5cevil.example": "/%5cevil.example",
  "/:80": "/:80",
  "/http://evil.example": "/http://evil.example",
  "/a/../b": "/b",
  "/æ/？": "/%C3%A6/%EF%BC%9F",
  "/／evil.example": "/%EF%BC%8Fevil.example",
  '/<script>"': "/%3Cscript%3E%22",
  "/\ud800": "/%EF%BF%BD",
};

describe("`next` only ever leads to a path of this origin", () => {
  test.each(elsewhere)("%j leads to /", (next) => {
    expect(localPath(next)).toBe("/");
  });

  test.each(Object.entries(unchangedPaths))("%j is kept", (next, path) => {
    expect(localPath(next)).toBe(path);
  });

  test("where there is none, to /", () => {
    expect(localPath(undefined)).toBe("/");
  });

  const piece = fc.constantFrom(
    "/",
    "\\",
    ".",
    "..",
    "%2e",
    "%2f",
    "%5c",
    "@",
    ":",
    "?",
    "#",
    "\t",
    "\n",
    " ",
    "evil.example",
    "http:",
  );
  const hostile = fc
    .array(fc.oneof(piece, fc.string({ unit: codePoint })), { maxLength: 12 })
    .map((all) => all.join(""));
  const bases = ["https://app.example/_fw/api/session", "http://localhost:8080/", "https://app.example//x"];

  test("whatever it is, as a browser reads it", () => {
    const leadsHere = (next: string): void => {
      const path = localPath(next);
      expect(path).toMatch(/^\/(?!\/)[!-~]*$/);
      for (const base of bases) expect(new URL(path, base).origin).toBe(new URL(base).origin);
      if (path.length <= nextCharacters) expect(localPath(path)).toBe(path);
    };
    fc.assert(
      fc.property(hostile, (text) => ["", "/", "/.", "/x/"].forEach((start) => leadsHere(start + text))),
      {
        numRuns: 2000,
      },
    );
  });
});
