import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as names from "./names.ts";

const stem = { app: "@acme/Shop", env: "prod" };

const place = { ...stem, project: "acme-1", projectNumber: "123456789012", region: "europe-west1" };

test("names say application, environment and what they are of", () => {
  expect(names.serviceName(stem, "web-shop")).toBe("acme-shop-prod-web-shop");
  expect(names.serviceName(stem, "web-sendEmails")).toBe("acme-shop-prod-web-send--emails");
  expect(names.serviceAccountEmail(place, "web-shop")).toBe("acme-shop-prod-web-shop@acme-1.iam.gserviceaccount.com");
  expect(names.pusherEmail(place, "web-shop")).toBe("acme-shop-prod-web-sh-3ba71040@acme-1.iam.gserviceaccount.com");
  expect(names.bucketName(place, "photos")).toBe("acme-1-acme-shop-prod-photos");
  const placed = names.topicName(stem, { kind: "topic", name: "placed" });
  expect(placed).toBe("acme-shop-prod-placed");
  expect(names.topicName(stem, { kind: "event", name: "bucket.uploaded:photos" })).toBe(
    "acme-shop-prod.bucket.uploaded.photos",
  );
  expect(names.subscriptionName(placed, "mail-onPlaced")).toBe("acme-shop-prod-placed--mail-on--placed");
  expect(names.deadTopicName(stem, "mail-placed")).toBe("acme-shop-prod-mail-placed.dead");
  expect(names.deadHoldName(stem, "mail-placed")).toBe("acme-shop-prod-mail-placed.dead.hold");
  expect(names.queueName(stem, "emails")).toBe("acme-shop-prod-emails");
  expect(names.scheduleName(stem, "web-shop", "digest")).toBe("acme-shop-prod-web-shop-digest");
  expect(names.databaseName(stem)).toBe("acme-shop-prod");
  expect(names.namespaceOf({ app: "shop", env: "prod" })).toBe("shop-prod");
});

test("a secret is named for its environment, but bare in production", () => {
  expect(names.secretName({ app: "shop", env: "staging" }, "MAIL_KEY")).toBe("staging-MAIL_KEY");
  expect(names.secretName(stem, "MAIL_KEY")).toBe("MAIL_KEY");
});

test("the address of a service is known before the service is", () => {
  expect(names.serviceUrl(place, "web")).toBe("https://acme-shop-prod-web-123456789012.europe-west1.run.app");
});

test("every service has a name and an identity that Google takes, and no two units share one", () => {
  const part = fc.stringMatching(/^[a-z][a-zA-Z0-9_$-]{0,60}$/);
  const units = fc.uniqueArray(part, { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(part, fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/), units, (app, env, all) => {
      for (const [nameOf, pattern] of [
        [names.serviceName, /^[a-z](?:[-a-z0-9]{0,47}[a-z0-9])?$/],
        [names.serviceAccountEmail, /^[a-z](?:[-a-z0-9]{4,28}[a-z0-9])@/],
        [names.pusherEmail, /^[a-z](?:[-a-z0-9]{4,28}[a-z0-9])@/],
      ] as const) {
        const given = all.map((unit) => nameOf({ ...place, app, env }, unit));
        for (const name of given) expect(name).toMatch(pattern);
        expect(new Set(given).size).toBe(all.length);
      }
    }),
  );
});

test("a name that Google would refuse says what it is of, and how long it may be", () => {
  expect(() =>
    names.bucketName(
      { app: "shop", env: "production", project: "a-very-long-project-name-1" },
      "photographs-of-all-things",
    ),
  ).toThrow(
    "the name of the bucket photographs-of-all-things is a-very-long-project-name-1-shop-production-photographs-of-all-things in the cloud, which has 68 characters instead of 3 to 63; rename it in the application",
  );
  expect(() => names.databaseName({ app: "a", env: "b" })).toThrow("instead of 4 to 63");
});

test("resources say whose they are, in labels or in a mark", () => {
  expect(names.labelsOf(stem)).toEqual({ "managed-by": "fw", "fw-app": "acme-shop", "fw-env": "prod" });
  expect(names.markOf(stem)).toBe("fw:acme-shop/prod");
  expect(names.stateBucketName(place)).toBe("acme-1-fw");
  expect(names.stateFolder(stem)).toBe("acme-shop/prod");
  expect(names.imageName(place)).toBe(`europe-west1-docker.pkg.dev/acme-1/${names.imageRepository}/acme-shop-prod`);
});
