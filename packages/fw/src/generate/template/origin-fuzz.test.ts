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

const own = "http://app.test";
const urls = "https://cdn.named.test";

/** Elements and attributes with a URL at the position of `|`. */
const places = [
  ...'<a href="|">~<a href=\'|\'>~<form action="|">~<button formaction="|">~<img src="|">~<iframe src="|">~<base href="|">'.split(
    "~",
  ),
  ...'<script src="|"></script>~<a href=|>~<link href="|" rel="stylesheet">~<video poster="|">~<p hx-get="|">~<object data="|">~<link rel="icon" href="|">~<p sse-connect="|">~<p data-ws-connect="|">'.split(
    "~",
  ),
  ...'<img srcset="| 1x">~<meta http-equiv="refresh" content="9;url=|">~<p style="background:url(|)">~<svg><a xlink:href="|">~<style>@import "|"</style>'.split(
    "~",
  ),
];

const beginnings = [
  "",
  "",
  "/",
  "//",
  "\\",
  "https:",
  "https://",
  urls,
  `${urls}/`,
  "/a/",
  "a",
  "./",
  "?q=",
  "#",
  " /",
];
const between = ["", "", "/", "/x", ".html", "x", "?r=", "\t/", "&#47;", "&sol;x", "\\", "@", ":"];
const values = ["{{p}}", "{{q}}", "{{#if p}}{{p}}{{/if}}", "{{#if c}}{{p}}{{else}}/x{{/if}}", "{{#if c}}/{{/if}}"];
const more = [
  "{{> part}}",
  "{{#each l}}/{{this}}{{/each}}",
  "{{#unless c}}https://{{/unless}}",
  "{{#if c}}/a/{{else}}/b/{{/if}}",
];

const payloads = [
  "",
  "",
  "/",
  "evil.test",
  "/evil.test",
  "//evil.test",
  "\\evil.test",
  "/\\evil.test",
  "@evil.test",
  ".evil.test",
  "https://evil.test/",
  "https:evil.test",
  "https:",
  "https://",
  ":evil.test",
  ":80@evil.test",
  "javascript:canary()",
  "\t/evil.test",
  "\n//evil.test",
  " //evil.test",
  "／evil.test",
  "/%2fevil.test",
  "data:text/html,x",
  "#",
  "?",
  ".",
  "..",
];

const urlTries = tries(300);

interface Case {
  readonly source: string;
  readonly data: object;
  readonly html: string;
  /** The page of the template with path segments as values. */
  readonly harmless: string;
  /** The value that the URL starts with, which may be a whole URL. */
  readonly first: string | undefined;
}

test("whatever the template, no value chooses an origin that the template's author did not", async () => {
  const url = fc.tuple(
    fc.constantFrom(...beginnings),
    fc.array(fc.tuple(fc.constantFrom(...values, ...values, ...more), fc.constantFrom(...between)), {
      minLength: 1,
      maxLength: 3,
    }),
  );
  const data = fc.record({ p: fc.constantFrom(...payloads), q: fc.constantFrom(...payloads), c: fc.boolean() });
  const choice = fc.sample(fc.tuple(fc.constantFrom(...places), url, data, data), { numRuns: urlTries, seed: 31 });
  const cases = choice.flatMap(([place, [beginning, rest], ...given]) => {
    const template = beginning + rest.flat().join("");
    return given.flatMap((each) => rendered(place, beginning, template, each));
  });
  expect(cases.length).toBeGreaterThan(urlTries / 4);
  const tab = await browser.newPage();
  await tab.route("**", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await tab.goto(`${own}/dir/page`);
  await tab.addScriptTag({ content: inPage });
  const found = await tab.evaluate<(readonly string[])[]>(`chosen(${JSON.stringify(cases)})`);
  const strange = cases.flatMap((each, i) => (found[i]?.length === 0 ? [] : [{ ...each, found: found[i] }]));
  expect(strange).toEqual([]);
  await tab.close();
});

function rendered(
  place: string,
  beginning: string,
  url: string,
  { p, q, c }: { p: string; q: string; c: boolean },
): Case[] {
  const source = place.replace("|", url);
  const compiled = compile({ "t.html": source, "part.html": "{{q}}" });
  if (compiled.diagnostics.length > 0) return [];
  const data = { p, q, c, l: [q, p] };
  const template = evaluate(compiled)["t.html"];
  const html = template?.(data, testPage) ?? "";
  const harmless = template?.({ p: "v", q: "w", c, l: ["w", "v"] }, testPage) ?? "";
  // A value may be a whole URL if nothing precedes it, in an attribute that may lead anywhere.
  const leads = beginning === "" && !/^<(?:script|base|link href|style)|formaction|hx-get|-connect/.test(place);
  const begins = /^(?:\{\{#if \w\}\})?\{\{(p|q|> part)\}\}/.exec(url)?.[1];
  const first = !leads || begins === undefined ? undefined : begins === "p" ? p : q;
  return [{ source, data, html, harmless, first }];
}

/**
 * Code for the page. Finds the hosts in a case's URLs, except hosts from the template or from a value that is a whole
 * URL.
 */
const inPage = String.raw`
const urlsOf = (element) => {
  const plain = ["href", "src", "action", "formaction", "poster", "hx-get", "data", "xlink:href", "sse-connect", "data-ws-connect"];
  const found = plain.map((name) => element.getAttribute(name));
  found.push(...(element.getAttribute("srcset") ?? "").split(",").map((each) => each.trim().split(/\s+/)[0]));
  if (element.localName === "style") found.push(/"(.*)"/s.exec(element.textContent)?.[1]);
  found.push(/url=(.*)/s.exec(element.getAttribute("content") ?? "")?.[1]);
  found.push(...[...(element.getAttribute("style") ?? "").matchAll(/url\((.*?)\)/gs)].map((match) => match[1]));
  return found.filter((url) => url != null);
};
const hostOf = (url) => { try { const { protocol, hostname } = new URL(url, location.href); return protocol + hostname; } catch { return ""; } };
const hostsIn = (html) => {
  const { documentElement } = new DOMParser().parseFromString(html, "text/html");
  return [...documentElement.querySelectorAll("*")].flatMap(urlsOf).map(hostOf);
};
globalThis.chosen = (cases) => cases.map(({ html, harmless, first }) => {
  const named = ["", "about:", "http:app.test", first === undefined ? "" : hostOf(first), ...hostsIn(harmless)];
  return hostsIn(html).filter((host) => !named.includes(host));
});
`;
