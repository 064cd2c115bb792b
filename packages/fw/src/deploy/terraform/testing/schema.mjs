// Generates schemas of the resources that fw writes, from the bindings of @cdktf/provider-google, which are generated
// from the provider's own schemas. Usage: node schema.mjs <folder of the unpacked package>
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const from = process.argv[2];
if (!from) throw new Error("where is the unpacked package? node schema.mjs <folder>");
const types = JSON.parse(readFileSync(join(import.meta.dirname, "google.json"), "utf8")).resources;
const resources = Object.fromEntries(
  Object.keys(types)
    .toSorted()
    .map((type) => [type, schemaOf(type)]),
);
const { version, cdktf } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
const text = JSON.stringify(
  { package: `@cdktf/provider-google ${version}`, provider: cdktf.provider.version, resources },
  undefined,
  1,
);
writeFileSync(join(import.meta.dirname, "google.json"), `${text}\n`);

function schemaOf(type) {
  const data = type.startsWith("data.");
  const folder = `${data ? "data-" : ""}${type.replace("data.", "").replaceAll("_", "-")}`.replace(
    "google-",
    data ? "google-" : "",
  );
  const directory = join(from, "lib", folder);
  if (!existsSync(directory)) throw new Error(`the provider has no ${type}`);
  const code = readFileSync(join(directory, "index.js"), "utf8");
  const declared = readFileSync(join(directory, "index.d.ts"), "utf8");
  const root = /synthesizeHclAttributes\(\) \{([^]*?)\n    \}/.exec(code)[1];
  const config = /export interface (\w+Config) extends/.exec(declared)[1];
  return blockOf(root, config, code, declared);
}

function blockOf(attributes, name, code, declared) {
  const own = new RegExp(`export interface ${name}(?: extends [\\w.]+)? \\{([^]*?)\\n\\}`).exec(declared)[1];
  const attribute =
    /(\w+): \{\s+value: ([^]*?),\s+isBlock: (true|false),\s+type: "(\w+)",\s+storageClassType: "(\w+)",\s+\}/g;
  const block = { attributes: {}, blocks: {} };
  for (const [, key, value, isBlock, , storage] of attributes.matchAll(attribute)) {
    if (key === "timeouts") continue;
    const camel = key.replaceAll(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
    const isRequired = new RegExp(`readonly ${camel}: `).test(own);
    if (isBlock === "false") {
      block.attributes[key] = isRequired ? `${storage}!` : storage;
      continue;
    }
    const converter = /(\w+)ToHclTerraform/g;
    const names = [...value.matchAll(converter)]
      .map(([, each]) => each)
      .filter((each) => each !== "listMapper" && each !== "string");
    const struct = names.find((each) => code.includes(`function ${each}ToHclTerraform(`));
    const inner = new RegExp(
      `function ${struct}ToHclTerraform\\(struct\\) \\{[^]*?const attrs = \\{([^]*?)\\n    \\};`,
    ).exec(code);
    const typeName = `${struct[0].toUpperCase()}${struct.slice(1)}`;
    block.blocks[key] = {
      ...(isRequired && { required: true }),
      ...blockOf(inner ? inner[1] : "", typeName, code, declared),
    };
  }
  return block;
}
