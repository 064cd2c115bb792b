import { expect, test } from "vitest";
import { Site } from "../../declare/site.ts";
import { load } from "../../generate/template/testing/render.ts";
import type { BundledSite } from "../bundle.ts";
import { renderDocument, renderFragment } from "./render.ts";

const request = { csrfToken: () => 'to"k' };
const cached = { csrfToken: () => "" };

function site(templates: Readonly<Record<string, string>>, trustedHTML = false): BundledSite {
  return { declaration: Site("./web"), dir: "web", redirects: {}, trustedHTML, templates: load(templates) };
}

const layout = "<!doctype html><title>{{title}}</title><main>{{content}}</main>";

test("site.render fills the layout's content block, and the layout sees the page's data", () => {
  const page = renderDocument(
    site({ "layout.html": layout, "a.html": "<p>{{title}}</p>" }),
    "a.html",
    { title: "<" },
    request,
  );
  expect(page.text).toBe("<!doctype html><title>&lt;</title><main><p>&lt;</p></main>");
  expect(page.document).toBe(true);
});

test("site.fragment renders a template alone", () => {
  const page = renderFragment(site({ "layout.html": layout, "a.html": "<p>{{x}}</p>" }), "a.html", { x: 1 }, request);
  expect(page.text).toBe("<p>1</p>");
  expect(page.document).toBe(false);
});

test("a template may be named without its extension, and rendered without data", () => {
  expect(renderFragment(site({ "notes/list.html": "[{{x}}]" }), "notes/list", undefined, request).text).toBe("[]");
});

test("site.render on a site with no templates/layout.html fails; such sites use site.fragment", () => {
  expect(() => renderDocument(site({ "a.html": "x" }), "a.html", {}, request)).toThrow(
    "./web/templates/ has no layout.html: create it, or use site.fragment",
  );
});

test("a missing template name fails with the name and the templates/ location", () => {
  expect(() => renderFragment(site({ "index.html": "x" }), "indx.html", {}, request)).toThrow(
    "no template indx.html in ./web/templates/; did you mean index.html?",
  );
  expect(() => renderFragment(site({}), "constructor", {}, request)).toThrow("no template constructor");
});

test("{{ csrf }} expands to a hidden input named _csrf, {{ csrfToken }} to the token", () => {
  const source = "{{csrf}}<b title='{{csrfToken}}'></b>";
  expect(renderFragment(site({ "a.html": source }), "a.html", {}, { csrfToken: () => "tok" }).text).toBe(
    '<input type="hidden" name="_csrf" value="tok"><b title=\'tok\'></b>',
  );
});

test("a token is escaped wherever it comes from", () => {
  expect(renderFragment(site({ "a.html": "{{csrf}}" }), "a.html", {}, request).text).toContain('value="to&quot;k"');
});

test("{{ csrf }} renders empty on a page with MaxAge", () => {
  expect(renderFragment(site({ "a.html": "[{{csrf}}{{csrfToken}}]" }), "a.html", {}, cached).text).toBe("[]");
});

test("a page without a form asks for no token", () => {
  const asked = { csrfToken: () => expect.unreachable() };
  expect(renderFragment(site({ "a.html": "x" }), "a.html", {}, asked).text).toBe("x");
});

test("{{ markdown text }} renders markdown and then sanitises it; script payloads vanish", () => {
  const templates = { "a.html": "{{markdown text}}" };
  const text = "**a** <script>alert(1)</script><b id=x>b</b>";
  expect(renderFragment(site(templates), "a.html", { text }, request).text).toBe(
    "<p><strong>a</strong> <b>b</b></p>\n",
  );
  expect(renderFragment(site(templates, true), "a.html", { text }, request).text).toContain("<script>");
});

test("HTML that the framework rendered goes into a template as it stands; text does not", () => {
  const part = renderFragment(site({ "part.html": "<i>{{x}}</i>" }), "part.html", { x: "<" }, request);
  const shown = (source: string, part: unknown) =>
    renderFragment(site({ "a.html": source }), "a.html", { part }, request).text;
  expect(shown("{{part}}{{{part}}}", part)).toBe("<i>&lt;</i><i>&lt;</i>");
  expect(shown("{{part}}{{{part}}}", "<i onclick=x>1</i>")).toBe("&lt;i onclick=x&gt;1&lt;/i&gt;<i>1</i>");
});
