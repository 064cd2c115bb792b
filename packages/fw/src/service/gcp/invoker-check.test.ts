import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serviceAccountEmail, serviceName, serviceUrl } from "../../platform/gcp/names.ts";
import { googleKeys, serviceTokens } from "../../platform/gcp/rest/service-token.ts";
import { onFake } from "../../platform/gcp/testing/fake.ts";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import { invokerCheck } from "./invoker-check.ts";
import { serviceVerifier } from "./connections.ts";

/** Starts a private service on a fake cloud. `requests` counts the requests that reach its instance. */
async function privateService() {
  const clock = new SteppedClock();
  const on = await onFake(clock);
  const { fake, cloud, place } = on;
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    // An instance refuses unknown callers with the same response as Cloud Run's front end, except for the request id.
    response.writeHead(403, { "x-request-id": "1" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const name = serviceName(place, place.service);
  const run = (): void => fake.run({ name, serviceAccount: on.account, url, public: false });
  const audience = serviceUrl(place, place.service);
  const isVerifiedBefore = invokerCheck(audience, cloud);
  const tokens = serviceTokens({ audience, keys: googleKeys(cloud), isVerifiedBefore, now: () => fake.clock.now() });
  /** Reads the caller from another service's token without verifying its signature. */
  const callerOf = async (): Promise<string | undefined> => {
    const idToken = await fake.cloud.tokens.id(serviceAccountEmail(place, "desk"), audience);
    return serviceVerifier(place, tokens, ["desk"]).verify(
      idToken.replace(/[^.]+$/, "SIGNATURE_REMOVED_BY_GOOGLE"),
      "desk",
    );
  };
  const makePublic = (): void => fake.grant("allUsers", "roles/run.invoker", fake.cloud.services.resource(name));
  return { clock, run, callerOf, makePublic, requests: () => requests };
}

test("a removed signature counts while Cloud Run verifies callers, which costs no instance a request", async () => {
  const { run, callerOf, requests } = await privateService();
  run();
  expect([await callerOf(), await callerOf(), requests()]).toEqual(["desk", "desk", 0]);
});

test("a removed signature counts no more once a private service was made public by hand", async () => {
  const { run, clock, callerOf, makePublic } = await privateService();
  run();
  expect(await callerOf()).toBe("desk");
  makePublic();
  await clock.advance(60_000);
  expect(await callerOf()).toBeUndefined();
});

test("a removed signature does not count where nothing says that Cloud Run verifies callers", async () => {
  const { callerOf } = await privateService();
  expect(await callerOf()).toBeUndefined();
});
