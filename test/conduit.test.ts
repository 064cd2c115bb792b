import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copyOfExample } from "./support/fw.ts";
import { runCollection } from "./support/realworld/collection.ts";
import { mostTopologies, onCloud, onPostgres } from "./support/topologies.ts";

/** One process by default; `FW_CLOUD` and `FW_ON_POSTGRES` add the others. */
const somewhere = onCloud || onPostgres ? mostTopologies : mostTopologies.slice(0, 1);

test.each(somewhere)("the collection of the RealWorld project passes %s", async (_, start) => {
  const directory = await copyOfExample("conduit");
  await writeFile(join(directory, ".env"), `JWT_SECRET=${randomBytes(32).toString("hex")}\n`);
  const running = await start(directory);
  onTestFinished(() => running[Symbol.asyncDispose]());
  const user = `u${randomBytes(4).toString("hex")}`;
  const results = await runCollection({
    APIURL: `http://localhost:${running.port}/api`,
    USERNAME: user,
    EMAIL: `${user}@example.com`,
    PASSWORD: "a long password",
  });
  expect(results.filter(({ status, failures }) => status >= 400 || failures.length > 0)).toEqual([]);
  expect(results).toHaveLength(32);
  // Newman reports the same number.
  expect(results.reduce((sum, { checks }) => sum + checks, 0)).toBe(311);
});
