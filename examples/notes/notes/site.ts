import { Page, Site, StatusPage } from "fw";
import { visitor } from "./auth.ts";

export const site = Site("./web", {
  build: { command: "node assets.mjs", out: "./web" },
  redirects: { "/notes": "/", "/index.html": "/" },
  notFound: "404.html",
});

/** The page is the same for all users, so it does not show whether the user is signed in. */
export const about = Page("GET /about", (ctx) => site.render(ctx, "about.html"), { maxAge: "10m" });

/** Renders the error page. */
export const status = StatusPage((ctx, refusal) =>
  site.render(ctx, "status.html", { ...refusal, who: visitor(ctx, "/") }),
);
