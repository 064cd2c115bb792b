import type { App } from "../../model/app.ts";
import { endpoint, ref } from "./models.ts";

const isEditor = { module: "access/policies.ts", variable: "IsEditor" };
const verified = { module: "club/club.ts", variable: "Verified" };

/** Two packages that share roles and policies: each declares sign-in, and a secret with the same name. */
export const club: App = {
  name: "club",
  packages: [
    {
      name: "access",
      dir: "access",
      service: "access",
      declarations: [
        { kind: "auth", declaration: ref("access/auth.ts", "auth"), social: true, password: false },
        { kind: "role", declaration: ref("access/roles.ts", "Owner"), name: "owner" },
        { kind: "role", declaration: ref("access/roles.ts", "Editor"), name: "editor" },
        { kind: "policy", declaration: ref("access/policies.ts", "IsEditor"), roles: ["editor", "owner"] },
        { kind: "secret", declaration: ref("access/mail.ts", "mailKey"), name: "MAIL_KEY" },
      ],
    },
    {
      name: "club",
      dir: "club",
      service: "club",
      declarations: [
        { kind: "auth", declaration: ref("club/club.ts", "auth"), social: false, password: true },
        { kind: "role", declaration: ref("club/club.ts", "Editor"), name: "editor" },
        { kind: "policy", declaration: ref("club/club.ts", "Verified") },
        { kind: "secret", declaration: ref("club/club.ts", "mapKey"), name: "MAP_KEY" },
        { kind: "secret", declaration: ref("club/club.ts", "mailKey"), name: "MAIL_KEY" },
        endpoint("GET /", "home", {}, "club/club.ts"),
        endpoint("GET /me", "me", { settings: { signIn: true, private: false } }, "club/club.ts"),
        endpoint("POST /", "edit", { settings: { signIn: true, private: false, allow: isEditor } }, "club/club.ts"),
        endpoint("POST /me", "save", { settings: { signIn: true, private: false, allow: verified } }, "club/club.ts"),
        endpoint("DELETE /", "clear", { settings: { signIn: true, private: false, allow: isEditor } }, "club/club.ts"),
      ],
    },
  ],
  types: {},
};
