import { expect, test } from "vitest";
import { Role } from "../../declare/role.ts";
import { userOf } from "./user.ts";

const ann = userOf({
  id: "u1",
  email: "ann@example.com",
  name: "Ann",
  provider: "social",
  emailVerified: true,
  roles: ["admin", "editor"],
});

test("a User carries id, email, name, provider, emailVerified and roles", () => {
  expect({ ...ann }).toEqual({
    id: "u1",
    email: "ann@example.com",
    name: "Ann",
    provider: "social",
    emailVerified: true,
    roles: ["admin", "editor"],
  });
});

test("hasRole answers whether a role is carried", () => {
  expect([ann.hasRole(Role("editor")), ann.hasRole(Role("king"))]).toEqual([true, false]);
});

test("a User can be sent as JSON, and nobody can give one a role", () => {
  expect(JSON.parse(JSON.stringify(ann))).toEqual({ ...ann });
  expect(() => (ann.roles as string[]).push("king")).toThrow(TypeError);
  expect(() => Object.assign(ann, { roles: ["king"] })).toThrow(TypeError);
  expect(() => Object.assign(ann, { hasRole: () => true })).toThrow(TypeError);
});
