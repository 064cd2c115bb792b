import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { writeApp } from "../../analysis/testing/app.ts";
import { fw } from "../testing/run.ts";

const source = `-- package.json --
{ "name": "club", "type": "module" }
-- people/people.ts --
import { API, Auth, Subscribe } from "fw";
export const auth = Auth({ password: true, account: true });
export const sendMail = Subscribe(auth.mail, (ctx, mail) => ctx.log.info("a mail", { purpose: mail.purpose }));
export const hello = API("GET /", () => "hello");
`;

test.each([
  ["fw build", ["build", "--platform", "gcp"]],
  ["fw deploy", ["deploy", "--project", "club-1", "--env", "main", "--region", "europe-west1", "--yes"]],
  ["fw gen terraform", ["gen", "terraform", "--project", "club-1", "--env", "main", "--region", "europe-west1"]],
])("%s refuses account pages, because Identity Platform has the passwords", async (_, argv) => {
  const app = await writeApp(source);
  onTestFinished(() => app[Symbol.asyncDispose]());
  mkdirSync(join(app.root, "node_modules"));
  symlinkSync(fileURLToPath(new URL("../../../", import.meta.url)), join(app.root, "node_modules/fw"));
  const { code, err } = await fw(app.root, ...argv);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining("people/people.ts:2: Auth has account: true, but on Google Cloud passwords belong to"),
  });
});
