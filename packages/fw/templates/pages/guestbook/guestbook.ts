import { Entity, Page, Redirect, Site, reply, type Context, type Form, type ID, type Index } from "fw";

export const site = Site("./web", { notFound: "404.html" });

export interface Entry {
  id: ID;
  name: string;
  text: string;
  written: Index<Date>;
}
export const entries = Entity<Entry>("entries");

export const home = Page("GET /", (ctx) => guestbook(ctx, { name: "", text: "" }, ""));

export interface Sign {
  name: Form;
  text: Form;
}
export const sign = Page("POST /", async (ctx, { name, text }: Sign) => {
  const missing = name.trim() === "" ? "name" : text.trim() === "" ? "text" : "";
  if (missing !== "") return reply(await guestbook(ctx, { name, text }, missing), { status: 422 });
  await entries.create(ctx, { name, text, written: ctx.now() });
  return Redirect("/");
});

/** Renders the entries and the form, with what the user typed and the name of a field that is missing. */
async function guestbook(ctx: Context, { name, text }: Sign, missing: string) {
  const latest = await entries.query().orderBy("written", "desc").limit(50).all(ctx);
  return site.render(ctx, "home.html", {
    name,
    text,
    missing,
    entries: latest.map((entry) => ({ ...entry, day: entry.written.toISOString().slice(0, 10) })),
  });
}
