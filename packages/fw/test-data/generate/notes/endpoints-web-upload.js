import { formFile, formText, required } from "fw/runtime";
import { $fw_upload } from "./web/upload.ts";
function decode0(raw) {
  const b0 = required(formFile(raw.form, "file"), "form file");
  const b1 = required(formText(raw.form, "title"), "form title");
  const request = { file: b0, title: b1 };
  return request;
}
export const endpoints = (p) => [
  { declaration: $fw_upload, kind: "api", route: "POST /upload", method: "POST", package: p, signIn: false, private: false, maxAge: 0, carries: "multipart", exactIntegers: false, decode: decode0 },
];
