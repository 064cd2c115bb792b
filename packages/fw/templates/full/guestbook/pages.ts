import { Errorf, Page, Redirect, Site, type Form } from "fw";
import { entries } from "./entries.ts";
import { thanks } from "./thanks.ts";

export const site = Site("./web", { notFound: "404.html" });

export const home = Page("GET /", async (ctx) => {
  const latest = await entries.query().orderBy("written", "desc").limit(50).all(ctx);
  return site.render(ctx, "home.html", {
    visitor: ctx.maybeUser()?.email ?? "",
    entries: latest.map(({ name, text, written }) => ({ name, text, day: written.toISOString().slice(0, 10) })),
  });
});

export interface Sign {
  text: Form;
}
export const sign = Page(
  "POST /",
  async (ctx, { text }: Sign) => {
    if (text.trim() === "") throw Errorf(422, "write something before you sign");
    const { id, email, name } = ctx.user();
    await entries.create(ctx, { author: id, name: name || email.replace(/@.*/, ""), text, written: ctx.now() });
    await thanks.send(ctx, { to: email });
    return Redirect("/");
  },
  { signIn: true },
);
