import { describe, expect, test } from "vitest";
import { clearSessionCookie, readSessionCookie, setSessionCookie } from "./cookie.ts";

const id = "aB3-_".repeat(8) + "xyz";

describe("the session's cookie", () => {
  test("lasts 7 days, and scripts cannot read it", () => {
    expect(setSessionCookie(id, false)).toBe(`fw_session=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800`);
  });

  test("is bound to the host over https", () => {
    expect(setSessionCookie(id, true)).toBe(
      `__Host-fw_session=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure`,
    );
  });

  test.each([true, false])("is removed as it was set (https: %s)", (secure) => {
    const [name] = setSessionCookie(id, secure).split("=");
    expect(clearSessionCookie(secure)).toBe(setSessionCookie("", secure).replace("604800", "0"));
    expect(clearSessionCookie(secure).startsWith(`${name}=;`)).toBe(true);
  });

  test("is read from among others", () => {
    expect(readSessionCookie(`theme=dark; fw_session=${id}; fw_csrf=x`, false)).toBe(id);
    expect(readSessionCookie(`__Host-fw_session=${id}`, true)).toBe(id);
  });

  test.each([
    ["no cookies", undefined, false],
    ["another cookie", "theme=dark", false],
    ["an empty one", "fw_session=", false],
    ["one that is too short", `fw_session=${id.slice(1)}`, false],
    ["one that is too long", `fw_session=${id}A`, false],
    ["one with characters that no id has", `fw_session=${id.slice(1)}%`, false],
    ["one that is not bound to the host, over https", `fw_session=${id}`, true],
    ["one that is bound to the host, without https", `__Host-fw_session=${id}`, false],
  ])("holds no id: %s", (_what, header, secure) => {
    expect(readSessionCookie(header, secure)).toBeUndefined();
  });
});
