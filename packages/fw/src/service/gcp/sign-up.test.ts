import { expect, test } from "vitest";
import { topicName } from "../../platform/gcp/names.ts";
import { openGcp } from "../../platform/gcp/open.ts";
import { makeTopic } from "../../platform/gcp/testing/deployed-delivery.ts";
import { onFake } from "../../platform/gcp/testing/fake.ts";
import type { Mishap } from "../../platform/gcp/testing/faulty-proxy.ts";
import { ManualClock } from "../../platform/testing/conformance/fixture.ts";
import { accountsOf } from "../../runtime/auth/users.ts";
import { authKinds } from "../../runtime/auth/kinds.ts";
import { Sessions } from "../../runtime/auth/sessions.ts";
import { signIn } from "../../runtime/auth/sign-in.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";

const auth = { social: true, password: true, roles: [] };
const events = ["auth.first-sign-in", "auth.registered"];

/** Opens an application on its own fake cloud. The test decides which commits and messages fail. */
async function club() {
  const clock = new ManualClock();
  const published: string[] = [];
  const goesWrong: { commit?: Mishap; publish?: Mishap | undefined } = {};
  const on = await onFake(clock, ({ url: { pathname } }) => {
    const topic = /topics\/[^/]*\.(auth\.[a-z-]+):publish$/.exec(pathname)?.[1];
    if (topic !== undefined && goesWrong.publish === undefined) published.push(topic);
    if (topic !== undefined) return goesWrong.publish;
    return pathname.endsWith(":commit") ? goesWrong.commit : undefined;
  });
  for (const role of ["roles/datastore.user", "roles/firebaseauth.admin"])
    on.fake.grant(`serviceAccount:${on.account}`, role);
  for (const name of events) await makeTopic(on, topicName(on.place, { kind: "event", name }));
  const platform = await openGcp(on.place, { kinds: authKinds }, on.cloud);
  const sessions = new Sessions(platform);
  const log = new TaggedLogger(() => {}, {});
  const { people } = on.fake.apis;
  return {
    clock,
    published,
    goesWrong,
    managed: accountsOf(platform, auth),
    log,
    /** Signs a user in with the social provider. */
    enter: async (email: string): Promise<void> => {
      const user = people.users.byEmail(email) ?? people.users.create({ email, emailVerified: true });
      const idToken = await people.idToken(user, "google.com");
      await signIn({ platform, sessions, auth, log }, { idToken }, undefined);
    },
    /** Stands in for another process that finds undelivered messages. */
    sweep: () =>
      platform.outbox.sweep({ destinations: events.map((name) => ({ kind: "event", name })), tell: () => {} }),
  };
}

test("deployed, a social sign-up publishes both events", async () => {
  const { published, enter, managed, log } = await club();
  await Promise.all([enter("ann@example.com"), enter("ann@example.com"), enter("ann@example.com")]);
  await enter("ann@example.com");
  expect(published.toSorted()).toEqual(events);
  published.length = 0;
  await managed.create({ email: "bob@example.com" }, log);
  await enter("bob@example.com");
  expect(published).toEqual(["auth.registered", "auth.first-sign-in"]);
});

test("a social sign-up whose commit has no answer publishes both events once", async () => {
  const { published, enter, goesWrong } = await club();
  goesWrong.commit = "reset after";
  await enter("ann@example.com");
  await enter("ann@example.com");
  expect(published.toSorted()).toEqual(events);
});

test("both events of a social sign-up whose process has ended before it published them are published by another", async () => {
  const { published, enter, sweep, goesWrong, clock } = await club();
  goesWrong.publish = "503";
  await enter("ann@example.com");
  goesWrong.publish = undefined;
  expect(published).toEqual([]);
  clock.advance(30_000);
  expect(await sweep()).toBe(2);
  expect(published.toSorted()).toEqual(events);
  await enter("ann@example.com");
  expect(await sweep()).toBe(0);
});
