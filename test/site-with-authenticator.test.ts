import { expect, test } from "vitest";
import { mostTopologies, startFiles } from "./support/topologies.ts";

const shell = "<!doctype html><title>Shell</title><body><p>single page</p></body>";

const files = {
  "package.json": `{ "name": "app", "type": "module" }`,
  "access/access.ts": `import { API, Auth, Authenticator, type Header } from "fw";
export const auth = Auth({ password: true });
export interface Key { key: Header<string, "X-Key"> }
export const robots = Authenticator((_ctx, { key }: Key) => (key === "let-me-in" ? { id: "robot:1" } : undefined));
export const me = API("GET /api/me", (ctx) => ctx.user().id, { signIn: true });
`,
  "web/web.ts": `import { Site } from "fw";
export const site = Site("./public", { fallback: "index.html" });
`,
  "web/public/index.html": shell,
  "web/public/about.html": shell,
  "web/public/app.js": "console.log(1)",
};

const visits: readonly Record<string, string>[] = [
  {},
  { "x-key": "let-me-in" },
  { "x-key": "no" },
  { cookie: "session=nobody" },
];

test.each(mostTopologies)(
  "%s, the documents of a Site are answered where only another package asks who visits",
  async (...topology) => {
    await using app = await startFiles(topology, files);
    const url = `http://127.0.0.1:${app.port}`;
    for (const headers of visits) {
      for (const path of ["/", "/about.html", "/deep/link", "/app.js"]) {
        const answer = await fetch(`${url}${path}`, { headers: { accept: "text/html", ...headers } });
        expect([path, headers, answer.status]).toEqual([path, headers, 200]);
        const text = await answer.text();
        if (path !== "/app.js") expect(text).toContain("single page");
      }
    }
    const me = await fetch(`${url}/api/me`, { headers: { "x-key": "let-me-in" } });
    expect([me.status, await me.json()]).toEqual([200, "robot:1"]);
  },
);
