import { Entity, Errorf, Page, Redirect, Site, type Form, type ID, type Index } from "fw";

export const site = Site("./web", { notFound: "404.html" });

export interface Entry {
  id: ID;
  name: string;
  text: string;
  written: Index<Date>;
}
export const entries = Entity<Entry>("entries");

export const home = Page("GET /", async (ctx) => {
  const latest = await entries.query().orderBy("written", "desc").limit(50).all(ctx);
  return site.render(ctx, "home.html", {
    entries: latest.map(({ name, text, written }) => ({ name, text, day: written.toISOString().slice(0, 10) })),
  });
});

export interface Sign {
  name: Form;
  text: Form;
}
export const sign = Page("POST /", async (ctx, { name, text }: Sign) => {
  if (name.trim() === "" || text.trim() === "") throw Errorf(422, "an entry needs a name and a text");
  await entries.create(ctx, { name, text, written: ctx.now() });
  return Redirect("/");
});
