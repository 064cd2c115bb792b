import { BadInput, textIsNot } from "../decode/bad-input.ts";
import { messages } from "../messages.ts";
import type { Settings } from "../settings.ts";
import { type Fields, requiredValue, valueOf } from "./fields.ts";
import type { Credential } from "./sign-in.ts";
import { isTestUser } from "./test-users.ts";

/**
 * What a request signs in with: of an identity provider an ID token only, with accounts of the application's own an address and a
 * password only, and where somebody works on it all of them, or a test user.
 * Throws a BadInput where it is none of them, or several.
 */
export function credentialOf(fields: Fields, way: Settings["signIn"]): Credential {
  if (way === "provider") return { idToken: requiredValue(fields, "idToken") };
  if (way === "accounts") return passwordOf(fields);
  const given = ways.filter((way) => way.fields.some((name) => fields.values.has(name)));
  const [found] = given;
  if (found === undefined || given.length > 1) throw new BadInput(messages.signInFields);
  return found.read(fields);
}

const ways = [
  { fields: ["idToken"], read: (fields) => ({ idToken: requiredValue(fields, "idToken") }) },
  { fields: ["dev_user"], read: testUserOf },
  { fields: ["email", "password"], read: passwordOf },
] as const satisfies readonly { readonly fields: readonly string[]; readonly read: (fields: Fields) => Credential }[];

function testUserOf(fields: Fields): Credential {
  const name = requiredValue(fields, "dev_user");
  if (!isTestUser(name)) throw textIsNot(`${fields.where} dev_user`, name, "test user");
  const keeps = valueOf(fields, "keep_roles") !== undefined;
  return { testUser: name, roles: keeps ? undefined : (fields.values.get("role") ?? []) };
}

function passwordOf(fields: Fields): Credential {
  return { password: { email: requiredValue(fields, "email"), password: requiredValue(fields, "password") } };
}
