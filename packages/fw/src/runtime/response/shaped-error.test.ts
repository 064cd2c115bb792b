import { expect, test } from "vitest";
import { ErrorShape, type ErrorAnswer } from "../../declare/error-shape.ts";
import { Errorf } from "../../declare/errors.ts";
import type { Bundle } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { apis, bundleOf, pages, start } from "../testing/app.ts";

function shapedBundle(shape: (error: ErrorAnswer) => unknown): Bundle {
  const endpoints = [
    ...apis({
      "GET /signed": { signIn: true },
      "GET /secret": { private: true },
      "GET /gone": () => {
        throw Errorf(410, "gone <for> ever", { details: { since: 5 } });
      },
      "GET /bug": () => {
        throw new Error("secret");
      },
      "POST /small": { carries: "json", maxBody: 4 },
      "GET /wrong": () => {
        throw new BadInput("body a: is wrong", { problems: [{ at: "body a", problem: "is wrong" }] });
      },
      "GET /first": () => {
        throw new BadInput("query q: is required");
      },
    }),
    ...pages({
      "GET /page": () => {
        throw Errorf(410, "gone");
      },
    }),
  ];
  const bundle = bundleOf(endpoints);
  return { ...bundle, packages: bundle.packages.map((each) => ({ ...each, errors: ErrorShape(shape) })) };
}

test("an error shape writes the errors and the refusals of APIs, and nothing else", async () => {
  await using app = await start(
    shapedBundle(({ status, message, problems, details }) => ({
      errors: [status, message, problems, details ?? null],
    })),
  );
  const answer = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(`${app.url}${path}`, init);
    const isJSON = response.headers.get("content-type") === "application/json";
    return [response.status, isJSON ? await response.json() : await response.text()];
  };
  const json = { method: "POST", headers: { "Content-Type": "application/json" } };
  expect(await answer("/gone")).toEqual([410, { errors: [410, "gone <for> ever", [], { since: 5 }] }]);
  expect(await answer("/signed")).toEqual([401, { errors: [401, "sign in to continue", [], null] }]);
  expect(await answer("/secret")).toEqual([403, { errors: [403, "this route is private", [], null] }]);
  expect(await answer("/small", { ...json, body: "123456" })).toMatchObject([
    413,
    { errors: [413, "body: larger than 4 bytes", [], null] },
  ]);
  expect(await answer("/small", { method: "POST", body: "1" })).toMatchObject([415, {}]);
  expect(await answer("/gone", { method: "PUT" })).toEqual([405, { errors: [405, "method not allowed", [], null] }]);
  expect(await answer("/bug")).toEqual([500, { errors: [500, "internal error", [], null] }]);
  const problems = [{ at: "body a", problem: "is wrong" }];
  expect(await answer("/wrong")).toEqual([400, { errors: [400, "body a: is wrong", problems, { problems }] }]);
  expect(await answer("/first")).toMatchObject([
    400,
    { errors: [400, "query q: is required", [{ at: "query q", problem: "is required" }], null] },
  ]);
  expect(await answer("/page")).toEqual([410, "gone"]);
  expect(await answer("/nowhere")).toEqual([404, { error: "not found" }]);
});

test("what clients send reaches a shaped error as data only, whatever its names and characters", async () => {
  const hostile = `__proto__ "</script>\r\nSet-Cookie: a=b`;
  const endpoints = apis({
    "GET /refused": () => {
      throw new BadInput(`query ${hostile}: is wrong`, {
        problems: ["body __proto__", "body constructor", `body ${hostile}`].map((at) => ({ at, problem: hostile })),
      });
    },
  });
  const shape = ({ problems }: ErrorAnswer): unknown => ({
    errors: Object.fromEntries(problems.map(({ at, problem }) => [at.slice("body ".length), [problem]])),
  });
  const bundle = bundleOf(endpoints);
  await using app = await start({
    ...bundle,
    packages: bundle.packages.map((each) => ({ ...each, errors: ErrorShape(shape) })),
  });
  const answer = await fetch(`${app.url}/refused`);
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("set-cookie")]).toEqual([
    400,
    "application/json",
    null,
  ]);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(Object.entries(((await answer.json()) as { errors: object }).errors)).toEqual(
    ["__proto__", "constructor", hostile].map((name) => [name, [hostile]]),
  );
});

test("an error shape that fails is logged, and the usual body is sent", async () => {
  await using app = await start(
    shapedBundle(() => {
      throw new Error("broken shape");
    }),
  );
  const response = await fetch(`${app.url}/gone`);
  expect([response.status, await response.json()]).toEqual([410, { error: "gone <for> ever", details: { since: 5 } }]);
  expect(app.logs.map(({ fields }) => String(fields?.["error"]))).toEqual(["Error: broken shape"]);
});
