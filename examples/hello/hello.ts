import { API, Page, Site } from "fw";
import type { Path, Query } from "fw";

export const site = Site("./web");

export const home = Page("GET /", (ctx, req: { name?: Query }) =>
  site.render(ctx, "home.html", { name: req.name ?? "world" }),
);

export const greet = API("GET /greet/{name}", (_ctx, req: { name: Path }) => ({
  greeting: `Hello, ${req.name}!`,
}));
