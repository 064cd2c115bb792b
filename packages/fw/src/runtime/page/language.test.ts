import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { bundleOf, pages, siteOf, start, type TestApp } from "../testing/app.ts";

const site = siteOf({ templates: { "page.html": (_data, page) => page.language(["en", "de", "pt-BR"]) } });
const page = (ctx: Context) => site.declaration.fragment(ctx, "page.html");
const bundle = bundleOf(
  pages({
    "GET /": page,
    "GET /shared": { maxAge: 60, run: page },
    "GET /swiss": (ctx) => site.declaration.fragment(ctx, "page.html", {}, { language: "de-CH" }),
  }),
  { site },
);

let app: TestApp;
beforeAll(async () => {
  app = await start(bundle);
});
afterAll(() => app.close());

async function get(path: string, headers: Record<string, string>): Promise<{ text: string; vary: string | null }> {
  const answer = await fetch(`${app.url}${path}`, { headers });
  return { text: await answer.text(), vary: answer.headers.get("vary") };
}

test.each([
  ["", "en"],
  ["de", "de"],
  ["de-CH, en;q=0.5", "de"],
  ["fr, de;q=0.4, en;q=0.6", "en"],
  ["pt", "pt-BR"],
  ["PT-br;q=0.1", "pt-BR"],
  ["de;q=0, en", "en"],
  ["fr-CA, it;q=0.8, *;q=0.1", "en"],
  ["de;q=x, pt-BR", "pt-BR"],
  [`${"x,".repeat(3_000)}de`, "en"],
  [`"><script>`, "en"],
])("Accept-Language %s is answered in %s", async (header, language) => {
  const { text, vary } = await get("/", { "Accept-Language": header });
  expect(text).toBe(language);
  expect(vary).toContain("Accept-Language");
  expect(vary).toContain("HX-Request");
});

test("the cookie of the user wins over the header, except on a shared page, and the handler over both", async () => {
  const headers = { Cookie: "language=de", "Accept-Language": "pt-BR" };
  expect((await get("/", headers)).text).toBe("de");
  expect(await get("/shared", headers)).toEqual({ text: "pt-BR", vary: expect.stringContaining("Accept-Language") });
  expect((await get("/swiss", { Cookie: "language=pt-BR" })).text).toBe("de");
  expect((await get("/", { Cookie: "language=__proto__", "Accept-Language": "de" })).text).toBe("de");
});
