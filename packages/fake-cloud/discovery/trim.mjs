// Generates the documents in this folder from Google's discovery documents: the methods listed in methods.txt
// (`document method`) and the schemas that they use.
// Usage: node trim.mjs <folder with <api>__<version>.json files as the API Discovery Service serves them>
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const from = process.argv[2];
if (!from) throw new Error("which folder holds Google's documents? node trim.mjs <folder>");
const wanted = new Set(readFileSync(join(here, "methods.txt"), "utf8").split("\n").filter(Boolean));

for (const file of readdirSync(from)
  .filter((name) => name.endsWith(".json"))
  .toSorted()) {
  const full = JSON.parse(readFileSync(join(from, file), "utf8"));
  const name = `${full.name}__${full.version}`;
  const methods = methodsOf(full).filter((method) => wanted.delete(`${name} ${method.id}`));
  if (methods.length === 0) continue;
  const document = {
    name: full.name,
    version: full.version,
    revision: full.revision,
    rootUrl: full.rootUrl,
    servicePath: full.servicePath,
    parameters: bare(full.parameters),
    methods: Object.fromEntries(methods.map((method) => [method.id, trimmed(method)])),
    schemas: schemasOf(full.schemas, methods),
  };
  writeFileSync(join(here, `${name}.json`), `${JSON.stringify(document, undefined, 1)}\n`);
}
if (wanted.size > 0) throw new Error(`no document has ${[...wanted].join(", ")}`);

function methodsOf({ methods = {}, resources = {} }) {
  return [...Object.values(methods), ...Object.values(resources).flatMap((resource) => methodsOf(resource))];
}

function trimmed({ httpMethod, path, parameters = {}, request, response, mediaUpload, supportsMediaDownload }) {
  return bare({ httpMethod, path, parameters, request, response, mediaUpload, supportsMediaDownload });
}

/** Returns the schemas that the methods use, directly or indirectly. */
function schemasOf(all, methods) {
  const reached = new Set();
  const reach = (value) => {
    if (typeof value !== "object" || value === null) return;
    if (typeof value.$ref === "string" && !reached.has(value.$ref)) {
      reached.add(value.$ref);
      reach(all[value.$ref]);
    }
    for (const part of Object.values(value)) reach(part);
  };
  for (const { request, response } of methods) reach([request, response]);
  return Object.fromEntries([...reached].toSorted((a, b) => (a < b ? -1 : 1)).map((name) => [name, bare(all[name])]));
}

/** Removes descriptions and annotations from a value, at all levels. */
function bare(value) {
  if (Array.isArray(value)) return value.map((part) => bare(part));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, part]) => part !== undefined && !isProse(name, part))
      .map(([name, part]) => [name, bare(part)]),
  );
}

/**
 * True for members that only describe a schema. An object under such a name is a field, unless it is an annotation.
 */
function isProse(name, part) {
  const names = ["description", "enumDescriptions", "enumDeprecated", "annotations"];
  return names.includes(name) && (typeof part === "string" || Array.isArray(part) || "required" in part);
}
