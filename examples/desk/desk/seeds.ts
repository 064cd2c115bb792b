import { Seed } from "fw";
import { desks, memberships, orgs } from "../people/people.ts";
import { comments, tickets } from "./tickets.ts";

/** Three desks. Sign in as alice, who works at all of them, or as bob, who is a customer of the zoo. */
export const example = Seed("example", async (ctx) => {
  for (const [id, name, bob] of organisations) {
    await desks.put(ctx, { id, name });
    const member = { desk: id, name: "Alice", email: "alice@example.com" };
    await memberships.put(ctx, { ...member, id: `${id}:alice`, user: "alice", role: "admin" });
    if (bob === undefined) continue;
    await memberships.put(ctx, {
      id: `${id}:bob`,
      desk: id,
      user: "bob",
      role: bob,
      name: "Bob",
      email: "bob@example.com",
    });
  }
  const inside = orgs.as(ctx, "zoo");
  for (const [n, [subject, text]] of questions.entries()) {
    const at = new Date(ctx.now().getTime() - n * 3_600_000);
    const question = {
      subject,
      customer: "bob",
      customerName: "Bob",
      email: "bob@example.com",
      assignee: n > 1 ? "Alice" : "",
    };
    const status = n > 1 ? ("waiting" as const) : ("open" as const);
    await tickets.put(inside, { id: `example-${n}`, ...question, status, openedAt: at, changed: at });
    const remark = { id: `example-${n}`, ticket: `example-${n}`, author: "Bob" };
    await comments.put(inside, { ...remark, at, text, internal: false });
  }
});

const organisations = [
  ["acme", "Acme Rockets", "agent"],
  ["zoo", "City Zoo", "customer"],
  ["harbor", "Harbor Ferries", undefined],
] as const;

const questions = [
  ["Are the penguins fed in public?", "We come on Sunday, with two children."],
  ["I lost a red hat", "Near the lions, I think. It has a feather."],
  ["May I bring a dog?", "A small one, who is afraid of llamas."],
] as const;
