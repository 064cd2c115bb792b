import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** HashiCorp's parser and formatter for HCL. Importing their declarations would add the types of browsers. */
export const { parse } = require("@cdktf/hcl2json") as {
  readonly parse: (name: string, text: string) => Promise<unknown>;
};

export const { format } = require("@cdktf/hcl-tools") as {
  readonly format: (text: string) => Promise<string>;
};
