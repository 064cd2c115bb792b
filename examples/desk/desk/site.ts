import { type Context, Site, StatusPage } from "fw";
import { isAgent, orgs } from "../people/people.ts";

export const site = Site("./web", { notFound: "404.html" });

export const status = StatusPage((ctx, refusal) => site.render(ctx, "status.html", { ...refusal, ...frame(ctx) }));

/** Returns the layout's data. */
export function frame(ctx: Context) {
  const user = ctx.maybeUser();
  return { me: user && (user.name || user.email) };
}

/** Returns the layout's data for the pages of a desk. */
export function deskFrame(ctx: Context) {
  const { id, member } = ctx.tenant(orgs);
  return { ...frame(ctx), desk: id, agent: isAgent(ctx), admin: member.role === "admin" };
}
