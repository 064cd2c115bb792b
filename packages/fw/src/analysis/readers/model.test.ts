import { expect, test } from "vitest";
import { endpointsOf, ofKind, settingsOf, siteOf } from "../../model/declarations.ts";
import { openAppBench } from "../testing/app-bench.ts";

const app = `
-- shop/shop.ts --
import { API, Page, Service, Site, StatusPage, type Path } from "fw";
export const site = Site("../web", {
  build: { command: "npm run build", out: "../web" },
  redirects: { "/old": "/", "/docs": "https://docs.example.com/" },
  trustedHTML: true,
  notFound: "404.html",
});
export const web = Service({ domain: "shop.example.com", profile: "latency" });
export const status = StatusPage((ctx) => site.render(ctx, "status.html"));
export const show = API("GET /orders/{id}", (_ctx, req: { id: Path }) => req.id, { signIn: true });
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html"), { maxAge: "1.5m" });
-- jobs/jobs.ts --
import { API } from "fw";
const rebuild = API("POST /rebuild", () => {}, { private: true });
`;

test("declarations become the model of their packages, in name order", async () => {
  const bench = await openAppBench();
  const { app: model, diagnostics } = await bench.analyze(app);
  await bench.close();
  expect(diagnostics).toEqual([]);
  const [jobs, shop] = model.packages;
  expect(jobs).toMatchObject({
    name: "jobs",
    dir: "jobs",
    service: "jobs",
    declarations: [
      {
        kind: "api",
        declaration: { module: "jobs/jobs.ts", variable: "rebuild", exported: false, at: { line: 2, column: 7 } },
        route: { pattern: "POST /rebuild", method: "POST", segments: [{ literal: "rebuild" }] },
        settings: { signIn: false, private: true },
        response: { kind: "void" },
      },
    ],
  });
  expect(shop).toMatchObject({
    name: "shop",
    service: "shop-web",
  });
  expect(shop && settingsOf(shop)).toMatchObject({ domain: "shop.example.com", profile: "latency" });
  expect(shop && siteOf(shop)).toMatchObject({
    dir: "web",
    build: { command: "npm run build", out: "web" },
    redirects: { "/old": "/", "/docs": "https://docs.example.com/" },
    trustedHTML: true,
    notFound: "404.html",
  });
  expect(shop && ofKind(shop, "status")).toMatchObject([{ declaration: { variable: "status", exported: true } }]);
  expect(shop && endpointsOf(shop)).toMatchObject([
    { kind: "api", settings: { signIn: true, private: false }, response: { kind: "string" } },
    { kind: "page", settings: { signIn: false, private: false, maxAge: 90 } },
  ]);
});
