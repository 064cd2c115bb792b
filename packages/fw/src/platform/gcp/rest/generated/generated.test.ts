import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { apiTypes, type Discovery } from "../testing/api-types.ts";

/** The methods that services call, by the API's discovery document. */
const called: Readonly<Record<string, readonly string[]>> = {
  cloudtasks__v2: ["cloudtasks.projects.locations.queues.tasks.create"],
  datastore__v1: ["lookup", "runQuery", "runAggregationQuery", "beginTransaction", "commit", "rollback"].map(
    (name) => `datastore.projects.${name}`,
  ),
  iamcredentials__v1: ["iamcredentials.projects.serviceAccounts.signBlob"],
  identitytoolkit__v1: ["", ".lookup", ".update", ".delete", ".batchGet"].map(
    (name) => `identitytoolkit.projects.accounts${name}`,
  ),
  monitoring__v3: ["monitoring.projects.timeSeries.create"],
  pubsub__v1: [
    "topics.publish",
    "subscriptions.pull",
    "subscriptions.acknowledge",
    "subscriptions.modifyAckDeadline",
  ].map((name) => `pubsub.projects.${name}`),
  run__v2: ["run.projects.locations.jobs.run"],
  storage__v1: ["get", "insert", "list", "delete"].map((name) => `storage.objects.${name}`),
};

const source = fileURLToPath(new URL("../../../../", import.meta.url));
const texts = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => readFileSync(`${source}${name}`, "utf8"));

/** Returns the words in the modules that use an API's types, and the types that they import. */
function usesOf(api: string): { readonly words: ReadonlySet<string>; readonly imports: ReadonlySet<string> } {
  const users = texts.filter((text) => text.includes(`/generated/${api}.ts"`));
  const statements = users.flatMap(
    (text) => text.match(new RegExp(`\\{[^{}]*\\} from "[^"]*/generated/${api}\\.ts"`, "g")) ?? [],
  );
  const wordsOf = (all: readonly string[]): ReadonlySet<string> =>
    new Set(all.flatMap((text) => text.match(/\w+/g) ?? []));
  return { words: wordsOf(users), imports: wordsOf(statements) };
}

const apiOf = (file: string): string => file.replace(/__.*/, "");

test.each(Object.entries(called))("the types of %s are what Google's description of it says", async (file, methods) => {
  const discovery = new URL(`../../../../../../fake-cloud/discovery/${file}.json`, import.meta.url);
  const types = apiTypes(JSON.parse(readFileSync(discovery, "utf8")) as Discovery, methods, usesOf(apiOf(file)));
  await expect(types).toMatchFileSnapshot(fileURLToPath(new URL(`${apiOf(file)}.ts`, import.meta.url)));
});

test("no types are left of what is called no more", () => {
  const there = readdirSync(new URL(".", import.meta.url)).filter((name) => !name.endsWith(".test.ts"));
  expect(there.toSorted()).toEqual(Object.keys(called).map((file) => `${apiOf(file)}.ts`));
});
