import { describe, expect, test } from "vitest";
import { problems, render } from "./testing/render.ts";

const card = `<article class="{{tone}}"><h2>{{title}}</h2>{{slot}}{{#slot "footer"}}<i>{{title}}</i>{{/slot}}</article>`;

describe("a component", () => {
  test.each([
    [
      "has the rest of a block as its content",
      `{{#> card title="T"}}<p>{{name}}</p>{{/card}}`,
      `<article class=""><h2>T</h2><p>Ann</p><i>T</i></article>`,
    ],
    [
      "has named slots",
      `{{#> card title="T"}} {{#slot "footer"}}<b>{{name}}</b>{{/slot}} {{/card}}`,
      `<article class=""><h2>T</h2><b>Ann</b></article>`,
    ],
    ["is a partial without content", `{{> card title="T"}}`, `<article class=""><h2>T</h2><i>T</i></article>`],
    [
      "is filled in a loop, with its names",
      `{{#each list as |item i|}}{{#> card title=item}}{{i}}{{../name}}{{/card}}{{/each}}`,
      `<article class=""><h2>a</h2>0Ann<i>a</i></article><article class=""><h2>b</h2>1Ann<i>b</i></article>`,
    ],
    [
      "passes its slot on",
      `{{#> panel}}<u>{{name}}</u>{{/panel}}`,
      `<section><article class=""><h2>P</h2><u>Ann</u><i>P</i></article></section>`,
    ],
    [
      "repeats a slot in its loops",
      `{{#> rows rows=list}}<td>{{name}}</td>{{/rows}}`,
      `<tr><td>Ann</td></tr><tr><td>Ann</td></tr>`,
    ],
    [
      "sees no names of its caller",
      `{{#with "x"}}{{#> card title="T"}}{{this}}{{/card}}{{/with}}`,
      `<article class=""><h2>T</h2>x<i>T</i></article>`,
    ],
  ])("%s", (_, source, html) => {
    const partials = {
      "card.html": card,
      "panel.html": `<section>{{#> card title="P"}}{{slot}}{{/card}}</section>`,
      "rows.html": `{{#each rows}}<tr>{{slot}}</tr>{{/each}}`,
    };
    expect(render(source, { name: "Ann", list: ["a", "b"] }, partials)).toBe(html);
  });

  test("escapes each content for the position of its slot, and the rest of the component for the position after it", () => {
    const partials = {
      "places.html": `<a href="{{slot "url"}}" title='{{slot}}' onclick="go({{slot "code"}})" style="color: {{slot "css"}}">{{slot}}</a><script>const a = {{slot "code"}}; const b = {{b}};</script>`,
    };
    const fill = ["url", "code", "css"].map((name) => `{{#slot "${name}"}}{{v}}{{/slot}}`).join("");
    const hostile = `javascript:"'><b>`;
    expect(render(`{{#> places b=v}}${fill}{{v}}{{/places}}`, { v: hostile }, partials)).toBe(
      `<a href="about:invalid#blocked" title='javascript:&quot;&#39;&gt;&lt;b&gt;' onclick="go(&quot;javascript:\\&quot;&#39;\\u003e\\u003cb\\u003e&quot;)" style="color: blocked">javascript:&quot;&#39;&gt;&lt;b&gt;</a><script>const a = "javascript:\\"'\\u003e\\u003cb\\u003e"; const b = "javascript:\\"'\\u003e\\u003cb\\u003e";</script>`,
    );
  });

  test("keeps the token out of a form that data sends elsewhere, whoever writes the form", () => {
    const partials = { "form.html": `<form method="post" action="{{to}}">{{slot}}</form>` };
    const token = (to: string): boolean =>
      render(`{{#> form to=to}}{{csrf}}{{/form}}`, { to }, partials).includes("tok");
    expect([token("/join"), token("https://evil.example/")]).toEqual([true, false]);
  });

  test.each([
    [`{{#> card}}{{#slot "foter"}}{{/slot}}{{/card}}`, `1:1 card.html has no slot "foter" | did you mean "footer"?`],
    [`{{#> plain}}x{{/plain}}`, `1:1 plain.html has no {{slot}} for this content | write {{slot}} in plain.html`],
    [
      `{{#> card}}{{#slot "footer"}}{{/slot}}{{#slot "footer"}}{{/slot}}{{/card}}`,
      "1:39 the slot footer is filled twice | merge its contents",
    ],
    [
      `{{#> card}}{{#slot footer}}{{/slot}}{{/card}}`,
      `1:12 a slot has one name, as a string literal | write {{slot "footer"}}, or {{slot}} for the rest`,
    ],
    [`{{#> crad}}{{/crad}}`, "1:1 there is no template crad in templates/ | did you mean {{> card}}?"],
    [
      `{{#> loop}}x{{/loop}}`,
      "loop.html:1:1 loop.html contains itself | write {{> …}} for a template that repeats itself",
    ],
    [
      `{{#> card}}{{#slot "footer" a=1}}{{/slot}}{{/card}}`,
      '1:12 a slot has one name, as a string literal | write {{slot "footer"}}, or {{slot}} for the rest',
    ],
  ])("is refused where it is wrong: %s", (source, problem) => {
    const partials = { "card.html": card, "plain.html": "<p></p>", "loop.html": "{{#> loop}}{{slot}}{{/loop}}" };
    expect(problems(source, partials)).toContain(problem);
  });
});
