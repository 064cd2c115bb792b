import { afterEach, expect, test, vi } from "vitest";
import { Fault } from "../declare/errors.ts";
import { Secret, setSecret } from "../declare/secret.ts";
import type { Bundle } from "./bundle.ts";
import { createHandler } from "./handler.ts";
import { bundleOf } from "./testing/app.ts";
import { settings } from "./settings.ts";

const names = ["FW_TEST_MAIL_KEY", "FW_TEST_PAY_KEY"] as const;

const withSecrets = (): Bundle => ({ ...bundleOf([]), secrets: names });

afterEach(() => {
  vi.unstubAllEnvs();
  for (const name of names) setSecret(name, undefined);
});

test("a service refuses to start when any declared secret is unset, and names them all", () => {
  vi.stubEnv("FW_TEST_MAIL_KEY", "");
  expect(() => createHandler(withSecrets(), { settings: settings.built("refused") })).toThrow(
    expect.objectContaining({
      message: `secret FW_TEST_MAIL_KEY is not set (add it to the env file locally, or the secret store in the cloud)
secret FW_TEST_PAY_KEY is not set (add it to the env file locally, or the secret store in the cloud)`,
    }),
  );
});

test("secrets resolve once at startup: what the environment says later does not count", () => {
  for (const name of names) vi.stubEnv(name, `${name} at first`);
  createHandler(withSecrets(), { settings: settings.built("refused") });
  for (const name of names) vi.stubEnv(name, "later");
  expect(Secret("FW_TEST_MAIL_KEY").value()).toBe("FW_TEST_MAIL_KEY at first");
});

test("a module that reads a secret while it is loaded gets its value", () => {
  vi.stubEnv("FW_TEST_MAIL_KEY", "early");
  expect(Secret("FW_TEST_MAIL_KEY").value()).toBe("early");
});

test("reading a secret that is not set is a fault of the program", () => {
  expect(() => Secret("FW_TEST_MAIL_KEY").value()).toThrow(
    new Fault("secret FW_TEST_MAIL_KEY is not set (add it to the env file locally, or the secret store in the cloud)"),
  );
});
