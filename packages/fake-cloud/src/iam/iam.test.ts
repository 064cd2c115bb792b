import { describe, expect, test } from "vitest";
import { CloudClock } from "../clock.ts";
import { holds } from "./condition.ts";
import { Policies } from "./policies.ts";

const topic = "//pubsub.googleapis.com/projects/demo-fw/topics/orders";
const project = "//cloudresourcemanager.googleapis.com/projects/demo-fw";
const database = "//datastore.googleapis.com/projects/demo-fw/databases/shop-prod";
const publish = "pubsub.topics.publish";

function policies(): Policies {
  return new Policies(new CloudClock(0), "demo-fw");
}

describe("a role", () => {
  test("holds on its resource and below, for its member only", () => {
    const iam = policies();
    iam.grant("serviceAccount:a@x", "roles/pubsub.publisher", topic);
    expect(iam.isAllowed("a@x", publish, topic)).toBe(true);
    expect(iam.isAllowed("b@x", publish, topic)).toBe(false);
    expect(iam.isAllowed("a@x", publish, `${topic}s`)).toBe(false);
    expect(iam.isAllowed("a@x", "pubsub.topics.delete", topic)).toBe(false);
    iam.grant("serviceAccount:a@x", "roles/storage.objectViewer", "//storage.googleapis.com/projects/_/buckets/b");
    expect(iam.isAllowed("a@x", "storage.objects.get", "//storage.googleapis.com/projects/_/buckets/b/objects/o")).toBe(
      true,
    );
  });

  test("on the project holds everywhere", () => {
    const iam = policies();
    iam.grant("serviceAccount:a@x", "roles/pubsub.publisher", project);
    expect(iam.isAllowed("a@x", publish, topic)).toBe(true);
  });

  test("that was granted is gone when it is revoked, for that member alone", () => {
    const iam = policies();
    for (const member of ["a@x", "b@x"]) iam.grant(`serviceAccount:${member}`, "roles/pubsub.publisher", topic);
    iam.revoke("serviceAccount:a@x", "roles/pubsub.publisher", topic);
    expect([iam.isAllowed("a@x", publish, topic), iam.isAllowed("b@x", publish, topic)]).toEqual([false, true]);
  });

  test("with a condition holds where the condition does", () => {
    const iam = policies();
    const expression = `resource.name=="projects/demo-fw/databases/shop-prod" || resource.name.startsWith("projects/demo-fw/databases/shop-prod/")`;
    iam.grant("serviceAccount:a@x", "roles/datastore.user", project, { title: "one database", expression });
    expect(iam.isAllowed("a@x", "datastore.entities.get", database)).toBe(true);
    expect(iam.isAllowed("a@x", "datastore.entities.get", `${database}-2`)).toBe(false);
  });

  test("for everybody holds for who is nobody", () => {
    const iam = policies();
    iam.grant("allUsers", "roles/run.invoker", "//run.googleapis.com/projects/demo-fw/locations/l/services/s");
    expect(
      iam.isAllowed(undefined, "run.routes.invoke", "//run.googleapis.com/projects/demo-fw/locations/l/services/s"),
    ).toBe(true);
  });
});

describe("a policy", () => {
  test("that somebody else has changed is not replaced", () => {
    const iam = policies();
    const { etag } = iam.set(topic, { bindings: [] });
    iam.set(topic, { etag: etag ?? "", bindings: [] });
    expect(() => iam.set(topic, { etag: etag ?? "", bindings: [] })).toThrow("There were concurrent policy changes.");
  });

  test("names roles and members that there are, and conditions only in version 3", () => {
    const iam = policies();
    const set = (role: string, member: string, version: number): void => {
      iam.set(topic, { version, bindings: [{ role, members: [member], condition: { expression: "true" } }] });
    };
    expect(() => set("roles/pubsub.everything", "user:a@x", 3)).toThrow("is not supported");
    expect(() => set("roles/pubsub.admin", "a@x", 3)).toThrow("Invalid member");
    expect(() => set("roles/pubsub.admin", "user:a@x", 1)).toThrow("version 3");
  });

  test("that has conditions is replaced with version 3 only, also where the last of them is removed", () => {
    const iam = policies();
    iam.grant("user:a@x", "roles/datastore.user", project, { title: "one database", expression: "true" });
    const etag = iam.get(project).etag ?? "";
    expect(() => iam.set(project, { etag, version: 1, bindings: [] })).toThrow("does not have version 3");
    expect(iam.set(project, { etag, version: 3, bindings: [] }).bindings).toEqual([]);
  });

  test("takes effect after a while where changes have to spread", async () => {
    const clock = new CloudClock(0);
    const iam = new Policies(clock, "demo-fw");
    iam.propagation = 120_000;
    iam.grant("user:a@x", "roles/pubsub.publisher", topic);
    await clock.advance(119_999);
    expect(iam.isAllowed("a@x", publish, topic)).toBe(false);
    await clock.advance(1);
    expect(iam.isAllowed("a@x", publish, topic)).toBe(true);
  });
});

test("conditions: brackets, negation, precedence, and no guess at what they cannot be", () => {
  const resource = {
    name: "projects/p/topics/t",
    service: "pubsub.googleapis.com",
    type: "pubsub.googleapis.com/Topic",
  };
  const expected: [string, boolean][] = [
    [`resource.service == "pubsub.googleapis.com" && !resource.name.endsWith("/x")`, true],
    [`(resource.type == 'a' || resource.type != 'b') && resource.name.startsWith("projects/q")`, false],
    [`true || true && false`, true],
  ];
  for (const [expression, value] of expected) expect(holds(expression, resource), expression).toBe(value);
  expect(() => holds(`request.time < timestamp("2027-01-01T00:00:00Z")`, resource)).toThrow("cannot read");
});
