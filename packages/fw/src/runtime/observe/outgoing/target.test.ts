import { expect, test } from "vitest";
import { outgoingTarget } from "./target.ts";

test.each([
  ["/v1/charges", "/v1/charges"],
  ["/v1/customers/cus_8s7d/cards/42", "/v1/customers/{}/cards/{}"],
  ["/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage", "/{}/sendMessage"],
  ["/services/T0000/B0000/XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "/services/{}/{}/{}"],
  ["/users/ann%40example.com/oauth2/token", "/users/{}/oauth2/token"],
  ["/v1/chat.completions/", "/v1/chat.completions/"],
  ["/v1beta1/.well-known/openid-configuration", "/v1beta1/.well-known/openid-configuration"],
  ["/kjHGasdQWEzxcPoiu/ABCDEFGHJKLM/maria7", "/{}/{}/{}"],
  ["/", "/"],
])("the template of %s has no values", (path, template) => {
  expect(outgoingTarget("https://api.example.com", path).template).toBe(template);
});

test("queries keep their names, and a URL neither values nor credentials", () => {
  const target = outgoingTarget(
    "http://proxy:3128",
    "https://ann:hunter2@api.example.com:8443/v1/c_1?key=a1&page[size]=2&b2#x",
  );
  expect(target).toEqual({
    scheme: "https",
    host: "api.example.com:8443",
    template: "/v1/{}",
    path: "/v1/c_1?key=•••&page[size]=•••&•••",
    url: "https://api.example.com:8443/v1/REDACTED?key=REDACTED&page[size]=REDACTED&REDACTED",
  });
});

test("a path that begins with two slashes is no host", () => {
  expect(outgoingTarget("https://hooks.example.com", "//bot1:TOKEN42/abc")).toMatchObject({
    host: "hooks.example.com",
    template: "//{}/abc",
    url: "https://hooks.example.com//REDACTED/abc",
  });
});

test("what a step keeps of a long address is short", () => {
  const path = `/v1/${"word/".repeat(10_000)}?${"&".repeat(10_000)}`;
  const { template, url, path: kept } = outgoingTarget("https://api.example.com", path);
  expect(template.endsWith("/word/{}")).toBe(true);
  for (const text of [template, url, kept]) expect(text.length).toBeLessThan(1_500);
});

test("a parameter whose name is a value is hidden", () => {
  const { path } = outgoingTarget("https://api.example.com", `/x?${"a".repeat(40)}=1&ok=2&=3&a b=4`);
  expect(path).toBe("/x?•••&ok=•••&•••&•••");
});
