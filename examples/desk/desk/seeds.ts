import { Seed } from "fw";
import { desks, enroll, orgs } from "../people/people.ts";
import { comments, tickets } from "./tickets.ts";

const [alice, bob] = ["Alice", "Bob"].map((name) => {
  const id = name.toLowerCase();
  return { id, name, email: `${id}@example.com` };
});

/** Three desks. Sign in as alice, an admin at all of them, or as bob, an agent at acme and a customer of the zoo. */
export const example = Seed("example", async (ctx) => {
  for (const [id, name] of [
    ["acme", "Acme Rockets"],
    ["zoo", "City Zoo"],
    ["harbor", "Harbor Ferries"],
  ] as const) {
    await desks.put(ctx, { id, name });
    await enroll(ctx, id, alice, "admin");
  }
  await enroll(ctx, "acme", bob, "agent");
  await enroll(ctx, "zoo", bob, "customer");
  const zoo = orgs.as(ctx, "zoo");
  for (const [n, [subject, text]] of questions.entries()) {
    const [id, at] = [`example-${n}`, new Date(ctx.now().getTime() - n * 3_600_000)];
    const rest = n > 1 ? { status: "waiting" as const, assignee: "zoo:alice" } : { status: "open" as const };
    await tickets.put(zoo, { id, subject, customer: "zoo:bob", changed: at, ...rest });
    await comments.put(zoo, { id, ticket: id, author: "zoo:bob", at, text, internal: false });
  }
});

const questions = [
  ["Are the penguins fed in public?", "We come on Sunday, with two children."],
  ["I lost a red hat", "Near the lions, I think. It has a feather."],
  ["May I bring a dog?", "A small one, who is afraid of llamas."],
] as const;
