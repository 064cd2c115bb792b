import { describe, expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const imports =
  'import * as fw from "fw";\nimport { API, Auth, Page, Policy, RequireRole, Role, Secret, Site } from "fw";\n';

/** Prints the findings of a module of the package `shop`, without its path. */
function printed(source: string, others = ""): Promise<string[]> {
  return bench.printShop(`${imports}${source}\n${others}`);
}

/** Returns a route with `allow`, on a separate line. */
const route = (allow: string, more = ""): string =>
  `export const a = API("GET /a", () => 1, { allow: ${allow}${more} });`;

const roles = 'export const Editor = Role("editor");\nexport const CanEdit = RequireRole(Editor);\n';

describe("package-level holds for what says who may do what", () => {
  test.each(["Auth({ social: true })", 'Role("editor")', "Policy(() => undefined)", "RequireRole()", 'Secret("KEY")'])(
    "%s",
    async (call) => {
      const [name] = call.split("(");
      expect(await printed(`export let x = ${call};`)).toEqual([`3:16: ${name} is in a let (fw/package-level)`]);
    },
  );

  test.each([
    ["a policy in a let", `${roles}export let Late = Policy(() => undefined);\n${route("Late")}`, "5:19: Policy"],
    [
      "a policy in an object",
      `export const all = { edit: Policy(() => undefined) };\n${route("all.edit")}`,
      "3:28: Policy",
    ],
    ["a role in a let", `export let Late = Role("late");\nexport const CanWait = RequireRole(Late);`, "3:19: Role"],
  ])("%s is wrong once, where it is declared", async (_, source, place) => {
    const lines = await printed(source);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${place} is .*\\(fw/package-level\\)$`))]);
  });

  test("a policy that another module exports by default has no name", async () => {
    const other = '-- shop/policy.ts --\nimport { Policy } from "fw";\nexport default Policy(() => undefined);\n';
    expect(await printed(`import Anybody from "./policy.ts";\n${route("Anybody")}`, other)).toEqual([
      "shop/policy.ts:2:16: Policy is exported without a name (fw/package-level)",
    ]);
  });
});

describe("const-role: a role name is not a constant", () => {
  test.each(["7", "String(1)", "...[]", ""])("Role(%s)", async (argument) => {
    const lines = await printed(`export const R = Role(${argument});`);
    expect(lines).toEqual([
      expect.stringMatching(/^3:(?:18|23): the name of the role is not a string constant.*\(fw\/const-role\)$/),
    ]);
  });

  test.each(["''", "' '", "'a '", "'\\n'", "'a\\u202eb'"])("Role(%s) has none that can be read", async (argument) => {
    expect(await printed(`export const R = Role(${argument});`)).toEqual([
      expect.stringMatching(/^3:23: ".*" is not a valid role name \(fw\/const-role\)$/),
    ]);
  });

  test.each(["'a'", "'order manager'", "'rédacteur'", "`${'a'}-b`"])("Role(%s) has one", async (argument) => {
    expect(await printed(`export const R = Role(${argument});`)).toEqual([]);
  });

  test("a policy that requires such a role is not wrong too", async () => {
    expect(
      await printed("export const R = Role(String(1));\nexport const P = RequireRole(R);\n".concat(route("P"))),
    ).toHaveLength(1);
  });

  test("two roles of one name are one role", async () => {
    const other = '-- admin/admin.ts --\nimport { Role } from "fw";\nexport const Editor = Role("editor");\n';
    expect(await printed(roles, other)).toEqual([]);
  });
});

describe("role-var: a route names a role that is not a declared variable", () => {
  test.each([
    ["'editor'", "this is not the name of a role: `'editor'` is not a declaration"],
    ["Role('editor')", "a role is declared here, but only its name is allowed"],
    ["fw.Role('editor')", "a role is declared here, but only its name is allowed"],
    ["CanEdit", "this is declared by RequireRole, not a role"],
    ["made", "this is not the name of a role: `made` is not a declaration"],
    ["any[0]", "this is not the name of a role: there is no `any[0]`"],
    ["nobody", "this is not the name of a role: `nobody` is not declared in this file"],
    ["...any", "this is not the name of a role: a spread may contain any number of values"],
  ])("RequireRole(%s)", async (argument, message) => {
    const source = `const made = String(1);\nconst any = [];\n${roles}export const P = RequireRole(${argument});`;
    expect(await printed(source)).toEqual([`7:30: ${message} (fw/role-var)`]);
  });

  test("each argument is judged, and a role that is declared stays right", async () => {
    expect(await printed(`${roles}export const P = RequireRole("a", Editor, "b");`)).toEqual([
      expect.stringMatching(/^5:30: .*\(fw\/role-var\)$/),
      expect.stringMatching(/^5:43: .*\(fw\/role-var\)$/),
    ]);
  });

  test("a value that is made elsewhere is named", async () => {
    const [found] = await bench.diagnose(
      '-- shop/shop.ts --\nimport { RequireRole } from "fw";\nconst made = String(1);\nexport const P = RequireRole(made as never);',
    );
    expect(found?.related).toEqual([
      { at: expect.objectContaining({ line: 2, column: 14 }), message: "it comes from here" },
    ]);
  });
});

describe("policy-var: a route names a policy that is not a declared variable", () => {
  test.each([
    ["RequireRole(Editor)", "a policy is declared here, but only its name is allowed"],
    ["fw.Policy(() => undefined)", "a policy is declared here, but only its name is allowed"],
    ["RequireRole(Role('x'))", "a policy is declared here, but only its name is allowed"],
    [
      "flag && RequireRole(Editor)",
      "this is not the name of a policy: `flag && RequireRole(Editor)` is not a declaration",
    ],
    ["Editor", "this is declared by Role, not a policy"],
    ["() => undefined", "this is not the name of a policy: `() => undefined` is not a declaration"],
    ["null", "this is not the name of a policy: `null` is not a declaration"],
    ["flag ? CanEdit : CanEdit", "this is not the name of a policy: `flag ? CanEdit : CanEdit` is not a declaration"],
    ["pick()", "this is not the name of a policy: `pick()` is not a declaration"],
    ["all.other", "this is not the name of a policy: there is no `all.other`"],
    ["later", "this is not the name of a policy: `later` is a variable that can change; declare it with const"],
  ])("allow: %s", async (value, message) => {
    const helpers = `declare const flag: boolean; const pick = () => CanEdit; const all = { CanEdit }; export let later = CanEdit;`;
    expect(await printed(`${roles}${helpers}\n${route(value)}`)).toEqual([`6:50: ${message} (fw/policy-var)`]);
  });

  test.each([
    ["its own name", "", "CanEdit"],
    ["another constant", "const Edit = CanEdit;", "Edit"],
    ["a member of a constant", "const all = { CanEdit };", "all.CanEdit"],
    ["an import", 'import { Open } from "../access/policies.ts";', "Open"],
    ["a renamed import", 'import { Open as Free } from "../access/policies.ts";', "Free"],
    ["a renamed re-export", 'import { Public } from "../access/index.ts";', "Public"],
    ["a re-export of everything", 'import { Open } from "../access/all.ts";', "Open"],
    ["a namespace", 'import * as access from "../access/all.ts";', "access.Open"],
    ["parentheses and satisfies", "", "(CanEdit satisfies fw.PolicyDeclaration)"],
    ["undefined, which sets nothing", "", "undefined"],
  ])("%s names one", async (_, before, value) => {
    const others = `-- access/policies.ts --
import { Policy } from "fw";
export const Open = Policy(() => undefined);
-- access/index.ts --
export { Open as Public } from "./policies.ts";
-- access/all.ts --
export * from "./policies.ts";
`;
    expect(await printed(`${roles}${before}\n${route(value)}`, others)).toEqual([]);
  });

  test("allow as a method is config-literal's", async () => {
    expect(await printed('export const a = API("GET /a", () => 1, { allow() {} });')).toEqual([
      '3:43: "allow" is not a constant: it is a method or an accessor (fw/config-literal)',
    ]);
  });

  test("a route whose policy is unknown is never open", async () => {
    const { app } = await bench.analyze(`-- shop/shop.ts --\n${imports}${route("null")}`);
    expect(app.packages.flatMap(endpointsOf)[0]?.settings).toEqual({ signIn: true, private: false });
  });
});

describe("unexported-role and unexported-policy: a variable is unexported", () => {
  test("each is reported at its name, whether anything uses it or not", async () => {
    const source =
      'const Editor = Role("editor");\nconst Unused = Role("unused");\nconst P = Policy(() => undefined);\nconst Q = RequireRole(Editor);';
    expect(await printed(`${source}\n${route("Q")}`)).toEqual([
      '3:7: the role "Editor" is not exported (fw/unexported-role)',
      '4:7: the role "Unused" is not exported (fw/unexported-role)',
      '5:7: the policy "P" is not exported (fw/unexported-policy)',
      '6:7: the policy "Q" is not exported (fw/unexported-policy)',
    ]);
  });

  test.each([
    ["an import", 'import { Open } from "./policies.ts";', "Open"],
    ["a renamed re-export", 'import { Free } from "./index.ts";', "Free"],
    ["a namespace", 'import * as policies from "./policies.ts";', "policies.Open"],
  ])("is reported once, also where %s asks for it", async (_, before, value) => {
    const others =
      '-- shop/policies.ts --\nimport { Policy } from "fw";\nconst Open = Policy(() => undefined);\n-- shop/index.ts --\nexport { Open as Free } from "./policies.ts";\n';
    expect(await printed(`${before}\n${route(value)}`, others)).toEqual([
      'shop/policies.ts:2:7: the policy "Open" is not exported (fw/unexported-policy)',
    ]);
  });

  test("what is not a declaration, and not exported either, is told where it is asked for", async () => {
    const others = "-- shop/policies.ts --\nconst Open = 1;\nexport { Open as Other };\n";
    expect(await printed(`import { Open } from "./policies.ts";\n${route("Open")}`, others)).toEqual([
      "4:50: this is not the name of a policy: shop/policies.ts does not export `Open` (fw/policy-var)",
    ]);
    expect(await printed(`import { Opne } from "./policies.ts";\n${route("Opne")}`, others)).toEqual([
      "4:50: this is not the name of a policy: shop/policies.ts has no `Opne` (fw/policy-var)",
    ]);
  });

  test("an export further down counts, also under another name", async () => {
    const source = 'const E = Role("e");\nconst P = RequireRole(E);\nexport { E as Editor, P as CanEdit };\n'.concat(
      route("P"),
    );
    expect(await printed(source)).toEqual([]);
  });
});

describe("empty-role: RequireRole has no role", () => {
  test("is reported at the call, and not again where it is used", async () => {
    expect(await printed(`export const P = RequireRole();\n${route("P")}`)).toEqual([
      '3:18: "P" names no role, so it would admit no user (fw/empty-role)',
    ]);
  });
});

describe("policy-private: Allow and Private are both set", () => {
  test("is reported at private, and mixed-ingress says nothing of such a route", async () => {
    const open = 'export const b = API("GET /b", () => 1);';
    expect(await printed(`${roles}${route("CanEdit", ", private: true")}\n${open}`)).toEqual([
      "5:68: a private route cannot have a policy: other services can call it without a session (fw/policy-private)",
    ]);
  });

  test("private: false is none", async () => {
    expect(await printed(`${roles}${route("CanEdit", ", private: false")}`)).toEqual([]);
  });
});

describe("mixed-ingress: a route behind a policy is public", () => {
  test("beside a private one", async () => {
    const hidden = 'export const b = API("GET /b", () => 1, { private: true });';
    expect(await printed(`${roles}${route("CanEdit")}\n${hidden}`)).toEqual([
      '6:52: the package "shop" mixes private routes with public ones (fw/mixed-ingress)',
    ]);
  });
});

describe("cache-signin: a policy requires sign-in", () => {
  test("is reported at maxAge, with the policy beside it", async () => {
    const [found] = await bench.diagnose(
      `-- shop/shop.ts --\n${imports}${roles}${route("CanEdit", ', signIn: false, maxAge: "1m"')}`,
    );
    expect(found).toMatchObject({ code: "fw/cache-signin", at: { line: 5, column: 82 } });
    expect(found?.related).toEqual([
      { at: expect.objectContaining({ line: 5, column: 50 }), message: "sign-in is required here" },
    ]);
  });
});

describe("auth-provider: Auth declares no provider", () => {
  test.each([
    ["", "3:21"],
    ["{}", "3:26"],
    ["{ social: false }", "3:26"],
    ["{ social: false, password: false }", "3:26"],
    ["{ password: undefined }", "3:26"],
  ])("Auth(%s)", async (config, position) => {
    expect(await printed(`export const auth = Auth(${config});`)).toEqual([
      `${position}: Auth declares no provider, so users could not sign in (fw/auth-provider)`,
    ]);
  });

  test.each(["{ social: true }", "{ password: true, social: false }", "{ password: !false }"])(
    "Auth(%s) declares one",
    async (config) => {
      expect(await printed(`export const auth = Auth(${config});`)).toEqual([]);
    },
  );

  test.each([
    ["{ social: Math.random() > 0.5 }", "config-literal"],
    ["config", "config-literal"],
    ["{ socail: true }", "config-literal"],
    ["{ social: 1 }", "config-literal"],
    ["{}, { social: true }", "one-config"],
  ])("Auth(%s) is %s's", async (config, rule) => {
    const lines = await printed(`const config = { social: true };\nexport const auth = Auth(${config});`);
    expect(lines.map((line) => /\(fw\/(.*)\)$/.exec(line)?.[1])).toEqual([rule]);
  });

  test("several of one application are each judged", async () => {
    const other = '-- admin/admin.ts --\nimport { Auth } from "fw";\nexport const more = Auth({});\n';
    expect(await printed("export const auth = Auth({ social: true });", other)).toEqual([
      "admin/admin.ts:2:26: Auth declares no provider, so users could not sign in (fw/auth-provider)",
    ]);
  });
});

describe("const-name: the name of a secret is not a string constant", () => {
  test.each(["7", "String(1)", ""])("Secret(%s)", async (argument) => {
    expect(await printed(`export const s = Secret(${argument});`)).toEqual([
      expect.stringMatching(/^3:(?:18|25): the name of the secret is not a string constant.*\(fw\/const-name\)$/),
    ]);
  });

  test("one of the name of another is the same secret", async () => {
    expect(await printed('export const a = Secret("KEY");\nconst b = Secret("KEY");')).toEqual([]);
  });

  test.each(["''", "'a b'", "'1A'", "'A=B'", "'A.B'"])("Secret(%s) could not be set", async (argument) => {
    expect(await printed(`export const s = Secret(${argument});`)).toEqual([
      expect.stringMatching(/^3:25: ".*" is not a valid name for a secret \(fw\/resource-name\)$/),
    ]);
  });
});
