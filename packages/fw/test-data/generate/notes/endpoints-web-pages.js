import { formText, required } from "fw/runtime";
import { $fw_home, $fw_newNote, $fw_saveNote } from "./web/pages.ts";
function decode0(raw) {
  const request = {};
  return request;
}
function decode1(raw) {
  const request = {};
  return request;
}
function decode2(raw) {
  const b0 = raw.params[0];
  const b1 = required(formText(raw.form, "title"), "form title");
  const request = { id: b0, title: b1 };
  return request;
}
export const endpoints = (p) => [
  { declaration: $fw_home, kind: "page", route: "GET /", method: "GET", package: p, signIn: false, private: false, maxAge: 600, carries: "nothing", exactIntegers: false, decode: decode0 },
  { declaration: $fw_newNote, kind: "page", route: "GET /notes/new", method: "GET", package: p, signIn: false, private: false, maxAge: 0, carries: "nothing", exactIntegers: false, decode: decode1 },
  { declaration: $fw_saveNote, kind: "page", route: "POST /notes/{id}", method: "POST", package: p, signIn: false, private: false, maxAge: 0, carries: "form", exactIntegers: false, decode: decode2 },
];
