import { Page, RedirectPermanent, Site, type Path } from "fw";

export const site = Site("./web", {
  build: { command: "node build.mjs", out: "./web" },
  notFound: "404.html",
});

/** Redirects the rule ids in fw's messages to the pages of the rules. */
export const rule = Page("GET /fw/{id}", (_ctx, { id }: { id: Path }) =>
  RedirectPermanent(`/docs/rules/${encodeURIComponent(id)}/`),
);
