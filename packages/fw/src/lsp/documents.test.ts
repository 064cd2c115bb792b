import { array, assert, constantFrom, integer, property, record, string } from "fast-check";
import { expect, test } from "vitest";
import { Documents, pathOf } from "./documents.ts";
import { Lines } from "./lines.ts";

const texts = string({ unit: constantFrom("a", "é", "😀", "\r", "\n", "\r\n", "\u2028", " "), maxLength: 30 });

test("edits by position come to the same text as the client has", () => {
  const edits = array(
    record({ from: integer({ min: 0, max: 40 }), length: integer({ min: 0, max: 10 }), text: texts }),
  );
  assert(
    property(texts, edits, (first, changes) => {
      const documents = new Documents();
      documents.open({ uri: "file:///a.ts", path: "/a.ts", version: 1 }, first);
      let text = first;
      changes.forEach(({ from, length, text: inserted }, index) => {
        const lines = new Lines(text);
        // A client cannot address a position inside a line break.
        const start = lines.offsetAt(lines.positionAt(Math.min(from, text.length)));
        const end = lines.offsetAt(lines.positionAt(Math.min(start + length, text.length)));
        const range = { start: lines.positionAt(start), end: lines.positionAt(end) };
        text = text.slice(0, start) + inserted + text.slice(end);
        expect(documents.change("/a.ts", index + 2, [{ range, text: inserted }])).toBe(true);
        expect(documents.texts.get("/a.ts")).toBe(text);
      });
    }),
  );
});

test("positions beyond the text are its nearest place, and an end before its start is none", () => {
  const lines = new Lines("ab\r\nc");
  expect(lines.offsetAt({ line: 0, character: 99 })).toBe(2);
  expect(lines.offsetAt({ line: 9, character: 0 })).toBe(5);
  const documents = new Documents();
  documents.open({ uri: "file:///a.ts", path: "/a.ts", version: 1 }, "abc");
  const range = { start: { line: 0, character: 2 }, end: { line: 0, character: 1 } };
  documents.change("/a.ts", 2, [{ range, text: "X" }]);
  expect(documents.texts.get("/a.ts")).toBe("abXc");
});

test("only addresses of files on this machine are paths", () => {
  const uris = [
    "file:///a%20b/c.ts",
    "file:///a/%E2%82%AC.ts",
    "untitled:a",
    "git:/a",
    "file://host/a",
    "",
    "file:///%2F",
  ];
  expect(uris.map(pathOf)).toEqual(["/a b/c.ts", "/a/€.ts", undefined, undefined, undefined, undefined, undefined]);
});
