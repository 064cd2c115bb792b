import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** HashiCorp's own parser and formatter of HCL. Their declarations bring those of browsers along, so that they are not read. */
export const { parse } = require("@cdktf/hcl2json") as {
  readonly parse: (name: string, text: string) => Promise<unknown>;
};

export const { format } = require("@cdktf/hcl-tools") as {
  readonly format: (text: string) => Promise<string>;
};
