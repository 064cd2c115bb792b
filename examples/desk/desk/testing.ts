import { newTestApp, type TestApp } from "fw/testing";
import { enroll, type Role } from "../people/people.ts";
import { smtp } from "./mails.ts";
import { example } from "./seeds.ts";

/** Starts the application with the example desks, at a fixed time. */
export async function start(): Promise<TestApp> {
  const app = await newTestApp({ now: new Date("2026-11-02T06:00:00Z") });
  app.setSecret(smtp.name, "console");
  await app.seed(example);
  return app;
}

/** Signs in a member of a desk. */
export async function member(app: TestApp, desk: string, name: string, role: Role) {
  const user = app.signIn({ email: `${name.toLowerCase()}@example.com`, name });
  await enroll(app.ctx(), desk, user, role);
  return user;
}
