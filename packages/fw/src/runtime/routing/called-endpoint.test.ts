import { describe, expect, test } from "vitest";
import { apis } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { TestServices } from "../testing/services.ts";
import { paramsIn, routeName } from "./called-endpoint.ts";

const endpoints = apis({
  "GET /items/new": () => "new",
  "GET /items/{id}": () => "item",
  "GET /{a}/{b}/{c}": () => "any",
  "POST /items/{id}": () => "saved",
});

/** Calls a route of the service orders from another service, with this path. */
async function callRoute(route: string, path: string): Promise<unknown> {
  const services = new TestServices();
  await services.start("orders", { endpoints });
  const caller = await services.caller(apis({ [route]: () => "" }));
  return caller.call({ path });
}

describe("a call between services", () => {
  test("runs the endpoint that it means, not another one that its path leads to", async () => {
    expect(await callRoute("GET /items/{id}", "/items/new")).toBe("item");
    expect(await callRoute("GET /items/new", "/items/new")).toBe("new");
    expect(await callRoute("GET /{a}/{b}/{c}", "/_fw/api/session")).toBe("any");
  });

  test("means the same endpoint where a version has renamed a parameter", async () => {
    expect(await callRoute("GET /items/{item}", "/items/new")).toBe("item");
  });

  test.each([
    ["its service has no such route", "GET /items/{id}/all", "/items/new/all"],
    ["its service has the route with another method", "DELETE /items/{id}", "/items/new"],
    ["the path is none of the route's", "GET /items/{id}", "/others/new"],
  ])("runs nothing where %s, and is no miss", async (_, route, path) => {
    await expect(callRoute(route, path)).rejects.toThrow(
      `${route} of the service orders got 404 from a proxy or another build`,
    );
  });
});

test("X-Fw-Route counts with a valid token of a service only, and without it the path decides", async () => {
  const services = new TestServices();
  const app = await services.start("orders", { endpoints });
  const ask = async (token: string, route: string): Promise<string> => {
    const headers = { Authorization: `Bearer ${token}`, ...(route !== "" && { "X-Fw-Route": route }) };
    return (await request(app.port, "/items/new", headers)).body;
  };
  const valid = services.token("web", "orders");
  const name = routeName("GET /items/{id}");
  expect([await ask(valid, name), await ask(valid, "")]).toEqual(['"item"', '"new"']);
  expect(await ask(services.token("web", "billing"), name)).toBe('"new"');
  expect(await ask(new TestServices().token("web", "orders"), "GET /nowhere")).toBe('"new"');
});

test("a route has a name in ASCII, whatever its parameters are called", () => {
  expect(routeName("GET /été/{種}/x")).toBe("GET /%C3%A9t%C3%A9/{}/x");
});

test.each([
  ["GET /", "/", []],
  ["GET /{a}", "/new%2Fx", ["new/x"]],
  ["GET /été/{a}/b/{c}", "/%C3%A9t%C3%A9/1/b/%C3%BC", ["1", "ü"]],
  ["GET /{a}", "/", undefined],
  ["GET /{a}", "/x/y", undefined],
  ["GET /a/{b}", "/b/b", undefined],
])("the parameters of %s in %s", (route, path, params) => {
  expect(paramsIn(route, path)).toEqual(params);
});

test("a malformed path is a 400", async () => {
  const services = new TestServices();
  const app = await services.start("orders", { endpoints });
  const headers = { Authorization: `Bearer ${services.token("web", "orders")}`, "X-Fw-Route": "GET /items/{}" };
  expect((await request(app.port, "/items/%ff", headers)).status).toBe(400);
});
