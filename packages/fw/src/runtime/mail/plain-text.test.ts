import * as fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHTML } from "../../lib/html.ts";
import { tries } from "../../lib/testing/tries.ts";
import { plainText, titleOf } from "./plain-text.ts";

test("the text of a document has its blocks as lines, its links with addresses, and no markup", () => {
  const html = `<!doctype html><html><head><title>A &amp; B</title><style>p > b { color: red }</style></head>
  <body><!-- a > b --><h1>Caf&eacute;</h1><p>Your   <b>order</b>
  of today:</p><ul><li>1 &lt; 2</li><li>A <a href="https://x.example/?a=1&amp;b=2" title="1 > 0">map</a></li></ul>
  <p>Line<br>break <img src="a.png" alt="a logo"></p><a href='https://x.example'>https://x.example</a></body></html>`;
  expect(titleOf(html)).toBe("A & B");
  expect(plainText(html)).toBe(
    [
      "Café",
      "",
      "Your order of today:",
      "",
      "- 1 < 2",
      "",
      "- A map <https://x.example/?a=1&b=2>",
      "",
      "Line",
      "break a logo",
      "",
      "https://x.example",
    ].join("\n"),
  );
});

test("a value in one attribute does not replace another one", () => {
  for (const title of [" href=https://evil.example", ` href='https://evil.example'`]) {
    const html = `<p><a title="${title}" data-href="/no" href="https://good.example">a map</a></p>`;
    expect(plainText(html)).toBe("a map <https://good.example>");
  }
});

test("a document may leave out the ends of its head, and a title in a comment is none", () => {
  const html = `<!doctype html><!-- <title>Old</title> --><title>New</title><style>p {}</style><p>Text`;
  expect([titleOf(html), plainText(html)]).toEqual(["New", "Text"]);
});

test("preformatted text keeps its lines and spaces", () => {
  const html = "<p>Run\n  this:</p><pre><code>if a:\n    b  &lt; 1\n</code></pre><p>Then  wait.</p>";
  expect(plainText(html)).toBe("Run this:\n\nif a:\n    b  < 1\n\nThen wait.");
});

test("an address of mail that a link shows is not repeated", () => {
  const html = `<a href="mailto:ann@x.example">ann@x.example</a> or <a href="mailto:ann@x.example">Ann</a>`;
  expect(plainText(html)).toBe("ann@x.example or Ann <mailto:ann@x.example>");
});

test("values in a document come back as they were", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const text = plainText(`<p>${escapeHTML(value)}</p>`);
      const words = (each: string): string[] => each.split(/[\s\0]+/u).filter((word) => word !== "");
      expect(words(text)).toEqual(words(value));
    }),
    { numRuns: tries(200) },
  );
});
