import { $fw_list } from "./files/api.ts";
function decode0(raw) {
  const request = {};
  return request;
}
export const endpoints = (p) => [
  { declaration: $fw_list, kind: "api", route: "GET /internal/files", method: "GET", package: p, signIn: false, private: true, maxAge: 0, carries: "nothing", exactIntegers: false, decode: decode0 },
];
