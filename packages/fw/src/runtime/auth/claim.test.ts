import { expect, test } from "vitest";
import { claimOf, type ClaimSources } from "./claim.ts";

const token = `fwt_${"a".repeat(43)}`;
const session = "b".repeat(43);

test.each([
  [{ tokens: true }, { by: "token", id: token }],
  [{}, { by: "session", id: session }],
])("a token speaks only while the application declares tokens: %j", (options, claim) => {
  const auth = { social: false, password: true, roles: [], ...options } as unknown as NonNullable<ClaimSources["auth"]>;
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, cookie: `fw_session=${session}` };
  const exchange = { header: (name: string) => headers[name], rawHeaders: [] };
  const request = { app: { bundle: { auth } }, exchange, query: "", caller: undefined, secure: false };
  expect(claimOf(request)).toEqual(claim);
});
