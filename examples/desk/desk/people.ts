import { flash, type Form, Page, type Path, Redirect } from "fw";
import { IsAdmin, members, orgs, type Role } from "../people/people.ts";
import { deskFrame, site } from "./site.ts";

export const people = Page(
  "GET /desks/{desk}/people",
  async (ctx, _req: { desk: Path }) => {
    const everyone = await members.query().where("desk", "==", ctx.tenant(orgs).id).all(ctx);
    return site.render(ctx, "people.html", { ...deskFrame(ctx), everyone });
  },
  { allow: IsAdmin, live: true },
);

/** Changes the role of a member. "none" removes one, who then has no tickets. */
export const setRole = Page(
  "POST /desks/{desk}/people/{user}",
  async (ctx, { desk, user, role }: { desk: Path; user: Path; role: Form<Role | "none"> }) => {
    const id = `${desk}:${user}`;
    const { name } = await members.get(ctx, id);
    if (role === "none") await members.delete(ctx, id);
    else await members.update(ctx, id, (member) => ({ ...member, role }));
    flash(ctx, `The role of ${name}: ${role}.`);
    return Redirect(`/desks/${desk}/people`);
  },
  { allow: IsAdmin },
);
