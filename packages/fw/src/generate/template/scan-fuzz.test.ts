import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../../../../../test/support/browser.ts";
import { compile, evaluate, testPage } from "./testing/render.ts";
import { tries } from "../../lib/testing/tries.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Pieces of markup, some malformed, for random templates. */
const pieces = [
  ..."<b>|</b>|<a href=|<a href=\"|<a title='|<a title=|<p |<p|>|/>|\"|'| |=|/|<|</|<!--|-->|--!>|<!|<!>|<?|<!-->|x|&|&quot;|;".split(
    "|",
  ),
  ..."<script>|</script>|<style>|</style>|<title>|</title>|<textarea>|</textarea>|<svg>|</svg>|<math>|</math>".split(
    "|",
  ),
  ..."<xmp>|</xmp>|<noscript>|</noscript>|<iframe>|</iframe>|<plaintext>|<select>|<option>|<table>|<td>|<template>".split(
    "|",
  ),
  ...'<script type="application/json">|<script type=x>|<meta http-equiv=refresh content="|onclick="|style="|hx-vals=\''.split(
    "|",
  ),
  ..."//|/*|*/|\n|`|${|}|[|]|(|)|url(|:|1;url=|javascript:|?|#|\\|</scr|ipt>|</ti|tle>|-|<foreignObject>".split("|"),
];
const values = ["{{p}}", "{{p}}", "{{p}}", "{{#if c}}", "{{else}}", "{{/if}}", "{{#each l}}", "{{/each}}"];

const page = { ...testPage, html: () => "" };

const hostile = [
  "",
  ">",
  '"><i id=a>',
  "'><i id=a>",
  " onload=a ",
  "</script><i id=a>",
  "</style><i id=a>",
  "</title></textarea></xmp></iframe></noscript></template></svg><i id=a>",
  "--><i id=a>",
  "*/</script><i id=a>",
  "`${a}",
  "\n",
  "\\",
  "/",
  "javascript:alert(1)",
];

test("whatever the template, no value adds an element or an attribute to the page", async () => {
  const templates = fc.sample(fc.array(fc.constantFrom(...pieces, ...values), { minLength: 2, maxLength: 12 }), {
    numRuns: tries(6_000),
    seed: 11,
  });
  const rendered = templates.map((parts) => parts.join("")).flatMap(renderings);
  expect(rendered.length).toBeGreaterThan(tries(300));
  const tab = await browser.newPage();
  await tab.addInitScript({ path: fileURLToPath(new URL("testing/in-page.js", import.meta.url)) });
  await tab.goto("about:blank");
  const broken = await tab.evaluate(`disturbed(${JSON.stringify(rendered)})`);
  expect(broken).toEqual([]);
});

/** Returns the template's page for a harmless value and for every hostile one; none if the compiler refuses it. */
function renderings(source: string): { source: string; pages: string[] }[] {
  if (!source.includes("{{p}}")) return [];
  const compiled = compile({ "t.html": source });
  if (compiled.diagnostics.length > 0) return [];
  const template = evaluate(compiled)["t.html"];
  // Start with text, so that an empty value cannot delay the start of the page's body.
  const fill = (p: string, c: boolean) =>
    `<!doctype html><body>x${template?.(
      {
        p,
        c,
        l: [
          { p, c },
          { p, c },
        ],
      },
      page,
    )}`;
  return [true, false].map((c) => ({ source, pages: ["x", ...hostile].map((p) => fill(p, c)) }));
}
