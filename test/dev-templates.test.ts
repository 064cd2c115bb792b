import { expect, test } from "vitest";
import { startDev } from "./support/dev-app.ts";

const pages = (data: string): Record<string, string> => ({
  "app/pages.ts": `import { Page, Site } from "fw";
export const site = Site("./web");
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html", ${data}));`,
});

const template = (text: string): Record<string, string> => ({ "app/web/templates/home.html": text });

const layout = { "app/web/templates/layout.html": "{{content}}" };

test("a template that reads what no handler passes is live, and told in the terminal and to open pages", async () => {
  await using dev = await startDev({ ...layout, ...template("one {{title}}"), ...pages(`{ title: "x" }`) });
  dev.write(template("two {{titel}}"));
  await dev.says("app/web/templates/home.html:1:7: the data has no titel (template)");
  await dev.says("did you mean title?");
  expect((await dev.get()).body).toContain("two ");
  const events = await fetch(`http://127.0.0.1:${dev.port}/_fw/dev/events`);
  const reader = events.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  expect(new TextDecoder().decode(value)).toContain(`"at":"app/web/templates/home.html:1:7"`);
});

test("a change of a handler is compared with its templates again", async () => {
  await using dev = await startDev({ ...layout, ...template("{{title}}"), ...pages(`{ title: "x" }`) });
  dev.write(pages(`{ heading: "x" }`));
  await dev.says("app/web/templates/home.html:1:3: the data has no title (template)");
  const before = dev.output().length;
  dev.write(pages(`{ title: "y" }`));
  await dev.says("TypeScript reports no more errors", before);
});

test("a template that does not exist is told where the handler names it", async () => {
  await using dev = await startDev({ ...layout, ...template("home"), ...pages("{}") });
  dev.write({ "app/pages.ts": (pages("{}")["app/pages.ts"] ?? "").replace("home.html", "hom.html") });
  await dev.says("app/pages.ts:3:61: there is no template hom.html in app/web/templates/ (template)");
});
