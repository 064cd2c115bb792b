import { beforeEach, describe, expect, test } from "vitest";
import { allOfKind, endpointsOf, ofKind } from "../../model/declarations.ts";
import { generator } from "../../generate/wiring.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const roles = `-- access/roles.ts --
import { Role } from "fw";
export const Admin = Role("admin");
export const Editor = Role("editor");
`;

const policies = `-- access/policies.ts --
import { Auth, Policy, RequireRole, Secret } from "fw";
import * as roles from "./roles.ts";
export const auth = Auth({ social: true, password: false });
export const CanEdit = RequireRole(roles.Editor, roles.Admin);
export const Anybody = Policy(() => undefined);
export const key = Secret("MAIL_KEY");
`;

const index = `-- access/index.ts --
export { CanEdit as Edit, Anybody } from "./policies.ts";
`;

const shop = `-- shop/shop.ts --
import { API } from "fw";
import { Edit } from "../access/index.ts";
export const edit = API("POST /orders", () => 1, { allow: Edit });
export const list = API("GET /orders", () => 1);
`;

const whole = roles + policies + index + shop;

/** Returns the settings of the first endpoint in the package `shop`. */
async function settingsOf(app: string): Promise<unknown> {
  const { app: model, diagnostics } = await bench.analyze(app);
  expect(diagnostics).toEqual([]);
  return model.packages.filter(({ name }) => name === "shop").flatMap(endpointsOf)[0]?.settings;
}

test("who may sign in and who may do what become the model of their packages", async () => {
  const { app, diagnostics } = await bench.analyze(whole);
  expect(diagnostics).toEqual([]);
  const [access, other] = app.packages.map((pkg) => ({
    auths: ofKind(pkg, "auth"),
    roles: ofKind(pkg, "role"),
    policies: ofKind(pkg, "policy"),
    secrets: ofKind(pkg, "secret"),
    endpoints: endpointsOf(pkg),
  }));
  expect(access).toMatchObject({
    auths: [{ declaration: { variable: "auth" }, social: true, password: false }],
    roles: [
      { declaration: { module: "access/roles.ts", variable: "Admin", exported: true }, name: "admin" },
      { declaration: { variable: "Editor" }, name: "editor" },
    ],
    policies: [
      { declaration: { module: "access/policies.ts", variable: "CanEdit" }, roles: ["editor", "admin"] },
      { declaration: { variable: "Anybody" } },
    ],
    secrets: [{ declaration: { variable: "key" }, name: "MAIL_KEY" }],
  });
  expect(access?.policies[1]).not.toHaveProperty("roles");
  expect(other?.endpoints.map(({ settings }) => settings)).toEqual([
    { signIn: true, allow: { module: "access/policies.ts", variable: "CanEdit" }, private: false },
    { signIn: false, private: false },
  ]);
  expect(other?.roles).toEqual([]);
});

describe("after a change in another module, a route has", () => {
  beforeEach(async () => {
    await settingsOf(whole);
  });

  test.each([
    ["the policy that the re-export leads to now", whole.replace("CanEdit as Edit", "Anybody as Edit"), "Anybody"],
    ["the policy by its new name", whole.replaceAll("CanEdit", "MayEdit"), "MayEdit"],
    [
      "the policy that another constant names now",
      whole.replace("export const CanEdit = Req", "export const CanEdit = Anybody;\nexport const Old = Req"),
      "Anybody",
    ],
  ])("%s", async (_, changed, variable) => {
    expect(await settingsOf(changed)).toMatchObject({ allow: { module: "access/policies.ts", variable } });
  });

  test("no policy where its name became another declaration's, which is told", async () => {
    const changed = whole.replace("RequireRole(roles.Editor, roles.Admin)", 'Secret("CAN_EDIT")');
    expect(await bench.print(changed)).toEqual([
      "shop/shop.ts:3:59: this is declared by Secret, not a policy (fw/policy-var)",
    ]);
    expect(await settingsOf(whole)).toMatchObject({ allow: { variable: "CanEdit" } });
  });

  test("the roles that its policy requires now, by their names", async () => {
    const { app } = await bench.analyze(whole.replace('Role("admin")', 'Role("root")'));
    expect(allOfKind(app.packages, "policy")[0]?.roles).toEqual(["editor", "root"]);
  });
});

test("generation notices another policy, and keeps the text of a route whose policy decides otherwise", async () => {
  const generate = generator();
  const textsOf = async (app: string): Promise<readonly (string | undefined)[]> => {
    const { files } = generate((await bench.analyze(app)).app);
    return ["fw:endpoints/shop/shop.ts", "fw:bundle"].map((specifier) => files.get(specifier));
  };
  const [endpoints, bundle] = await textsOf(whole);
  expect(endpoints).toContain('name: "CanEdit"');
  expect(bundle).toContain("$fw_CanEdit as");
  expect((await textsOf(whole.replace("roles.Editor, roles.Admin", "roles.Editor")))[0]).toBe(endpoints);
  const [others, otherBundle] = await textsOf(whole.replace("CanEdit as Edit", "Anybody as Edit"));
  expect(others).toContain('name: "Anybody"');
  expect(otherBundle).toContain("$fw_Anybody as");
  expect((await textsOf(whole.replace(", { allow: Edit }", "")))[0]).not.toContain("allow");
});
