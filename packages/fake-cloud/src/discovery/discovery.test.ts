import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { member, project, testCloud } from "../testing/client.ts";
import { matchRoute, routesByHost, type Route } from "./routes.ts";
import { validBody, validQuery } from "./validate.ts";

const routes = [...routesByHost.values()].flat();

describe("the table of routes", () => {
  test("has every method of the descriptions, and each is found by a request that is for it", () => {
    for (const route of routes.filter(({ upload }) => !upload)) {
      const path = `/${route.document.servicePath}${route.method.path}`.replaceAll(
        /\{\+?(\w+)\}/g,
        (_, name: string) => {
          const { pattern } = route.method.parameters[name] ?? {};
          return pattern === undefined
            ? "name"
            : pattern.replaceAll(/\[\^\/\]\+|\.\*/g, "name").replaceAll(/[\^$]/g, "");
        },
      );
      expect(
        matchRoute(route.host, route.method.httpMethod, path)?.route.id,
        `${route.method.httpMethod} ${path}`,
      ).toBe(route.id);
    }
  });

  test("tells a custom verb from a resource of that name", () => {
    const path = "/v1/projects/demo-fw/secrets/mail";
    expect(matchRoute("secretmanager.googleapis.com", "GET", path)?.route.id).toBe(
      "secretmanager.projects.secrets.get",
    );
    expect(matchRoute("secretmanager.googleapis.com", "GET", `${path}:getIamPolicy`)?.route.id).toBe(
      "secretmanager.projects.secrets.getIamPolicy",
    );
  });
});

describe("a request that the description does not allow is refused in Google's words", () => {
  const route = (id: string): Route => routes.find((one) => one.id === id && !one.upload)!;
  const refusal = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  const services = route("run.projects.locations.services.create");

  test("an unknown field", () => {
    expect(refusal(() => validBody(services, { template: { containers: [{ memory: "1Gi" }] } }))).toBe(
      `Invalid JSON payload received. Unknown name "memory" at 'template.containers[0]': Cannot find field.`,
    );
    expect(refusal(() => validBody(services, { images: [] }))).toBe(
      `Invalid JSON payload received. Unknown name "images": Cannot find field.`,
    );
  });

  test("a value of another type", () => {
    const wrong = { template: { maxInstanceRequestConcurrency: "many", timeout: 60, containers: {} } };
    expect(refusal(() => validBody(services, wrong)).split("\n")).toEqual([
      `Invalid value at 'template.max_instance_request_concurrency' (TYPE_INT32), "many"`,
      `Invalid value at 'template.timeout' (type.googleapis.com/google.protobuf.Duration), 60`,
      `Invalid value at 'template.containers' (TYPE_MESSAGE), {}`,
    ]);
  });

  test("a value that is none of an enumeration's", () => {
    expect(refusal(() => validBody(services, { ingress: "EVERYBODY" }))).toBe(
      `Invalid value at 'ingress' (TYPE_ENUM), "EVERYBODY"`,
    );
  });

  test("bytes that are not base64, numbers out of range, times that are none", () => {
    const wrong: [string, unknown][] = [
      ["pubsub.projects.topics.publish", { messages: [{ data: "€" }] }],
      ["cloudtasks.projects.locations.queues.create", { rateLimits: { maxConcurrentDispatches: 2 ** 31 } }],
      ["cloudtasks.projects.locations.queues.tasks.create", { task: { scheduleTime: "tomorrow" } }],
      ["datastore.projects.commit", { mutations: [{ baseVersion: "9223372036854775808" }] }],
      ["datastore.projects.commit", { mutations: "all" }],
    ];
    for (const [id, body] of wrong)
      expect(
        refusal(() => validBody(route(id), body)),
        id,
      ).toMatch(/^Invalid value at '/);
  });

  test("a query that the method has not", () => {
    expect(refusal(() => validQuery(services, new URLSearchParams("serviceId=a&dryRun=true")))).toBe(
      `Invalid JSON payload received. Unknown name "dryRun": Cannot bind query parameter. Field 'dryRun' could not be found in request message.`,
    );
    expect(refusal(() => validQuery(services, new URLSearchParams("serviceId=a&validateOnly=maybe")))).toContain(
      "TYPE_BOOL",
    );
  });

  test("what it allows goes through: numbers as texts, names as in protocol buffers, null, the parameters of every method", () => {
    validBody(services, {
      template: { max_instance_request_concurrency: 80, timeout: "60.5s", labels: { any: "thing" } },
      annotations: null,
    });
    validBody(route("datastore.projects.commit"), { mode: 1, mutations: [{ baseVersion: 7 }] });
    validQuery(services, new URLSearchParams("serviceId=a&alt=json&prettyPrint=false&$alt=json;enum-encoding=int"));
  });
});

describe("over HTTP", () => {
  let cloud: Awaited<ReturnType<typeof testCloud>>;
  beforeAll(async () => {
    cloud = await testCloud();
    cloud.grant(`serviceAccount:${member}`, "roles/storage.admin", project);
  });
  afterAll(() => cloud.stop());

  test("an error has the form that the API gives it", async () => {
    const answer = await cloud.ask("https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b:signBlob", {
      as: member,
      body: { bytes: "" },
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: `Invalid JSON payload received. Unknown name "bytes": Cannot find field.`,
        details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest" }],
      },
    });
  });

  test("a path that no API has is 404 as a page", async () => {
    const answer = await cloud.ask("https://pubsub.googleapis.com/v2/topics", { as: member });
    expect([answer.status, answer.headers["content-type"]]).toEqual([404, "text/html; charset=UTF-8"]);
  });

  test("the host is also told by the first part of the path", async () => {
    const answer = await cloud.ask(`${cloud.url}/storage.googleapis.com/storage/v1/b?project=demo-fw`, { as: member });
    expect(answer.json).toEqual({ kind: "storage#buckets", items: [] });
  });

  test("a partial request gets the fields that it names", async () => {
    await cloud.ask("https://storage.googleapis.com/storage/v1/b?project=demo-fw", {
      as: member,
      body: { name: "demo-bucket" },
    });
    const answer = await cloud.ask(
      "https://storage.googleapis.com/storage/v1/b?project=demo-fw&fields=items(name,metageneration)",
      { as: member },
    );
    expect(answer.json).toEqual({ items: [{ name: "demo-bucket", metageneration: "1" }] });
  });
});
