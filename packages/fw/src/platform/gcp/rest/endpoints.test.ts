import { expect, test } from "vitest";
import { readEndpoints, type Api } from "./endpoints.ts";
import { readHosts } from "./hosts.ts";

const urlOf = (env: Record<string, string>, api: Api): string => {
  const { target, emulated } = readEndpoints(env)(api);
  const { protocol, hostname, port, prefix, host } = target;
  return `${protocol}//${hostname}${port && ":"}${port}${prefix} as ${host}${emulated ? ", emulated" : ""}`;
};

test.each<[string, Record<string, string>, Api, string]>([
  ["Google itself", {}, "pubsub", "https://pubsub.googleapis.com as pubsub.googleapis.com"],
  [
    "Google's emulators by their own variables",
    { DATASTORE_EMULATOR_HOST: "localhost:8081" },
    "datastore",
    "http://localhost:8081 as localhost:8081, emulated",
  ],
  [
    "an emulator whose variable is a URL",
    { STORAGE_EMULATOR_HOST: "http://127.0.0.1:9000/" },
    "storage",
    "http://127.0.0.1:9000 as 127.0.0.1:9000, emulated",
  ],
  [
    "the emulator of accounts below the host of each of its APIs",
    { FIREBASE_AUTH_EMULATOR_HOST: "127.0.0.1:9099" },
    "identitytoolkit",
    "http://127.0.0.1:9099/identitytoolkit.googleapis.com as 127.0.0.1:9099, emulated",
  ],
  [
    "gcloud's override",
    { CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDTASKS: "http://127.0.0.1:1/cloudtasks.googleapis.com/" },
    "cloudtasks",
    "http://127.0.0.1:1/cloudtasks.googleapis.com as 127.0.0.1:1",
  ],
  [
    "a host's row of FW_CLOUD_HOSTS, with the Host header kept",
    { FW_CLOUD_HOSTS: '{"*.googleapis.com":"http://127.0.0.1:1","run.googleapis.com":"http://127.0.0.1:2/x"}' },
    "run",
    "http://127.0.0.1:2/x as run.googleapis.com",
  ],
  [
    "the row of a suffix",
    { FW_CLOUD_HOSTS: '{"*.googleapis.com":"http://127.0.0.1:1","run.googleapis.com":"http://127.0.0.1:2/x"}' },
    "logging",
    "http://127.0.0.1:1 as logging.googleapis.com",
  ],
  [
    "an override first, then the hosts",
    {
      CLOUDSDK_API_ENDPOINT_OVERRIDES_RUN: "https://europe-west1-run.googleapis.com/",
      FW_CLOUD_HOSTS: '{"*.googleapis.com":"http://127.0.0.1:1"}',
    },
    "run",
    "http://127.0.0.1:1 as europe-west1-run.googleapis.com",
  ],
])("an API is at %s", (_, env, api, expected) => {
  expect(urlOf(env, api)).toBe(expected);
});

test("the longest suffix counts, and a suffix is no part of a label and not the host itself", () => {
  const hosts = readHosts({ FW_CLOUD_HOSTS: '{"*.run.app":"http://127.0.0.1:1","*.a.run.app":"http://127.0.0.1:2"}' });
  const portOf = (url: string): string => hosts(new URL(url)).port;
  expect(portOf("https://x.a.run.app")).toBe("2");
  expect(portOf("https://x.b.run.app")).toBe("1");
  expect(portOf("https://x.a.run.app.example.com")).toBe("");
  expect(portOf("https://xrun.app")).toBe("");
  expect(portOf("https://run.app")).toBe("");
});

test("a variable that is no address is told with its name", () => {
  expect(() => readHosts({ FW_CLOUD_HOSTS: "x" })).toThrow(
    "FW_CLOUD_HOSTS must be a JSON object of hosts and base URLs",
  );
  expect(() => readEndpoints({ CLOUDSDK_API_ENDPOINT_OVERRIDES_RUN: "x" })("run")).toThrow(
    'CLOUDSDK_API_ENDPOINT_OVERRIDES_RUN is "x", which is not a valid URL',
  );
});

test.each([{ K_SERVICE: "web" }, { CLOUD_RUN_JOB: "rebuild" }])(
  "hosts that lead elsewhere are refused on Cloud Run: %j",
  (cloudRun) => {
    const env = { ...cloudRun, FW_CLOUD_HOSTS: '{"*.googleapis.com":"http://127.0.0.1:1"}' };
    expect(() => readHosts(env)).toThrow("FW_CLOUD_HOSTS is for emulators");
    expect(() => readHosts({ ...env, GCE_METADATA_HOST: "metadata.example.com" })).toThrow("FW_CLOUD_HOSTS");
    expect(() => readHosts({ ...env, GCE_METADATA_HOST: "127.0.0.1:8080" })).not.toThrow();
    expect(() => readHosts(cloudRun)).not.toThrow();
  },
);
