import { expect, test } from "vitest";
import type { Document, Platform } from "../../platform/contract.ts";
import { bothProviders, openAuthPlatform } from "../testing/auth-platform.ts";
import { sessionKind } from "./kinds.ts";
import { Sessions } from "./sessions.ts";
import { markSession } from "./stale-sessions.ts";
import { accountsOf } from "./users.ts";

test("a role granted between the read and the write of a refresh is in the session", async () => {
  const { platform, log } = await openAuthPlatform();
  const accounts = accountsOf(platform, bothProviders);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  const session = await new Sessions(platform).create(id, "email");
  const { entities } = platform;
  const [document] = (await entities.query({ kind: sessionKind, filters: [], orders: [], limit: 1 })).documents;
  // A refresh writes the session after `markSession` has read it.
  let refreshes = 0;
  const update: Platform["entities"]["update"] = async (key, fields, options) => {
    if (refreshes++ === 0) {
      const current = (await entities.get(key)) as Document;
      await entities.update(key, current.fields, current.expires && { expires: current.expires });
    }
    return entities.update(key, fields, options);
  };
  const racing = { ...platform, entities: Object.assign(Object.create(entities), { update }) } as Platform;
  await platform.accounts.setClaims(id, { roles: ["editor"] });
  await markSession(racing, document as Document);
  expect((await new Sessions(platform).find(session?.id ?? ""))?.identity.roles).toEqual(["editor"]);
});
