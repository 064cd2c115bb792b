import * as fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../../../../test/support/browser.ts";
import { tries } from "./testing/tries.ts";
import { legacyNames, namedReferences } from "./testing/named-references.ts";
import { decodeLiteral } from "./html-references.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const names = [...namedReferences().keys()];
const endings = ["", ";", "=", "x", "1", " ", "&", ";x"];
const every = names.flatMap((name) => endings.map((ending) => `&${name}${ending}`));
const numbers = [
  0, 9, 10, 39, 127, 128, 129, 150, 159, 160, 0xd800, 0xfffe, 0x1f600, 0x10ffff, 0x110000, 99_999_999_999,
];
const numeric = numbers.flatMap((code) =>
  endings.flatMap((end) => [`&#${code}${end}`, `&#x${code.toString(16)}${end}`]),
);

const piece = fc.constantFrom(
  ..."& &# &#x &#X x X 3 9 a ; = amp AMP quot apos not notin lt g gt copy sup2 frac12 \u00e9".split(" "),
  " ",
);
const literals = fc.sample(
  fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")),
  { numRuns: tries(2_000), seed: 3 },
);
/** Excludes `&#;` and `&#x;`, where Chromium deviates from the standard. */
const all = [...every, ...numeric, ...literals].filter(
  (source) => !/&#(?:[xX](?![0-9a-fA-F])|(?![xX0-9]))/.test(source),
);

test("the table has every name of the standard", () => {
  expect([namedReferences().size, legacyNames().size]).toEqual([2_125, 106]);
});

test.each([true, false])("a literal is decoded as the browser decodes it; in an attribute: %s", async (inAttribute) => {
  const parsed = await parse(all, inAttribute);
  expect(all.map((source) => [source, decodeLiteral(source, inAttribute).text])).toEqual(
    all.map((source, index) => [source, parsed[index]]),
  );
});

test.each([true, false])(
  "nothing that follows a literal completes a reference in it; in an attribute: %s",
  async (inAttribute) => {
    const cases = literals.flatMap((source) =>
      ["apos;", "9;", "x27;", "p;", ";", "=", "#39;"].map((value) => ({ source, value })),
    );
    const settled = cases.map(({ source, value }) => ({ value, ...decodeLiteral(source, inAttribute) }));
    const html = settled.map((each) => each.html + each.value);
    const expected = settled.map(({ text, value }) => text + value);
    expect(await parse(html, inAttribute)).toEqual(expected);
    expect(await parse(html, inAttribute, false)).toEqual(expected);
  },
);

/** Returns the texts as the browser decodes them, in a page or in markup set by a script. */
async function parse(sources: readonly string[], inAttribute: boolean, asPage = true): Promise<readonly string[]> {
  const tab = await browser.newPage();
  const markup = sources.map((source) => (inAttribute ? `<b title="${source}"></b>` : `<b>${source}</b>`));
  const read = inAttribute ? "title" : "textContent";
  const texts = await tab.evaluate<string[]>(
    asPage
      ? `(() => { document.open(); document.write(${JSON.stringify(markup.join(""))}); document.close();
          return [...document.querySelectorAll("b")].map((element) => element.${read}); })()`
      : `${JSON.stringify(markup)}.map((html) => new DOMParser().parseFromString(html, "text/html").querySelector("b").${read})`,
  );
  await tab.close();
  return texts;
}
