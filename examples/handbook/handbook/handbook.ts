import { Page, RedirectPermanent, Site, type Path } from "fw";

export const site = Site("./web", {
  build: { command: "node build.mjs", out: "./web" },
  notFound: "404.html",
});

/** What messages of fw name: a rule by its id. */
export const rule = Page("GET /fw/{id}", (_ctx, { id }: { id: Path }) =>
  RedirectPermanent(`/rules/${encodeURIComponent(id)}.html`),
);
