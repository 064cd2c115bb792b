import { Errorf, flash, type Form, Page, type Path, Redirect, transaction } from "fw";
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

/** Changes a member's role. "none" removes the member, who then has no tickets. A desk keeps at least one admin. */
export const setRole = Page(
  "POST /desks/{desk}/people/{user}",
  async (ctx, { desk, user, role }: { desk: Path; user: Path; role: Form<Role | "none"> }) => {
    const { name } = await transaction(ctx, async (tx) => {
      const member = await members.get(tx, `${desk}:${user}`);
      const admins = await members.query().where("desk", "==", desk).where("role", "==", "admin").count(tx);
      if (member.role === "admin" && role !== "admin" && admins === 1)
        throw Errorf(409, `${member.name} is the only admin`);
      await (role === "none" ? members.delete(tx, member.id) : members.put(tx, { ...member, role }));
      return member;
    });
    flash(ctx, `The role of ${name}: ${role}.`);
    return Redirect(`/desks/${desk}/people`);
  },
  { allow: IsAdmin },
);
