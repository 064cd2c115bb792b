import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { launchDev, writeApplication } from "./support/dev-app.ts";
import { bridgeToStdio } from "./support/mcp-bridge.ts";

/**
 * The script of the official conformance suite, which needs Node 22. To run it, install
 * `@modelcontextprotocol/conformance@0.1.16` and set FW_CONFORMANCE to its `dist/index.js`.
 */
const suite = process.env["FW_CONFORMANCE"];

const bin = fileURLToPath(new URL("../packages/fw/bin/fw.js", import.meta.url));

const application = {
  "package.json": `{ "name": "conformance", "version": "1.0.0", "type": "module" }\n`,
  "tools.ts": `
import { API, Errorf, MCP } from "fw";

/** Answers with a text. */
export const test_simple_text = API("GET /simple-text", () => "This is a simple text response for testing.");

/** Fails. */
export const test_error_handling = API("POST /error", (): string => {
  throw Errorf(422, "This tool intentionally returns an error for testing");
});

export const mcp = MCP("/mcp", { tools: [test_simple_text, test_error_handling] });
`,
};

const noResources = "fw's servers have no resources";
const noPrompts = "fw's servers have no prompts";
const onlyJSON = "a tool of fw answers with JSON";
const asksNothing = "a tool of fw sends nothing before its answer, and asks its client nothing";

/** Scenarios for features that fw's servers do not announce. */
const missingFeatures: Readonly<Record<string, string>> = {
  "logging-set-level": "logs of the application are for its operators",
  "completion-complete": "arguments have no completion",
  "tools-call-image": onlyJSON,
  "tools-call-audio": onlyJSON,
  "tools-call-embedded-resource": onlyJSON,
  "tools-call-mixed-content": onlyJSON,
  "tools-call-with-logging": asksNothing,
  "tools-call-with-progress": asksNothing,
  "tools-call-sampling": asksNothing,
  "tools-call-elicitation": asksNothing,
  "json-schema-2020-12": "it expects the keywords of a schema that is written by hand; fw derives schemas from types",
  "elicitation-sep1034-defaults": asksNothing,
  "elicitation-sep1330-enums": asksNothing,
  "resources-list": noResources,
  "resources-read-text": noResources,
  "resources-read-binary": noResources,
  "resources-templates-read": noResources,
  "resources-subscribe": noResources,
  "resources-unsubscribe": noResources,
  "prompts-list": noPrompts,
  "prompts-get-simple": noPrompts,
  "prompts-get-with-args": noPrompts,
  "prompts-get-embedded-resource": noPrompts,
  "prompts-get-with-image": noPrompts,
};

/** Scenarios that require HTTP, or call tools that a server for developers does not have. */
const missingOverStdio: Readonly<Record<string, string>> = {
  "tools-call-simple-text": "its tools are fixed",
  "tools-call-error": "its tools are fixed",
  "dns-rebinding-protection": "a pipe has no host name; the answer would be that of the bridge",
};

interface Results {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

async function runScenarios(url: string): Promise<Results> {
  const args = [suite ?? "", "server", "--url", url, "--suite", "all"];
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 100_000_000 }, (_error, stdout, stderr) => {
      if (/^[✓✗] /m.test(stdout)) resolve(stdout);
      else reject(new Error(`the suite ran no scenario on Node ${process.version}: ${stderr.slice(-500)}`));
    });
  });
  const names = (mark: string): string[] =>
    [...output.matchAll(new RegExp(`^${mark} ([\\w-]+): \\d+ passed`, "gm"))].map(([, name = ""]) => name).toSorted();
  return { passed: names("✓"), failed: names("✗") };
}

test.skipIf(suite === undefined)("a declared MCP server passes every scenario of features that it has", async () => {
  await using app = launchDev(writeApplication(application), []);
  await app.says("http://localhost:");
  const { passed, failed } = await runScenarios(`http://localhost:${app.port}/mcp`);
  expect(failed).toEqual(Object.keys(missingFeatures).toSorted());
  for (const name of ["server-initialize", "ping", "tools-list", ...Object.keys(missingOverStdio)])
    expect(passed).toContain(name);
});

test.skipIf(suite === undefined)("fw mcp passes every scenario of features that it has", async () => {
  const root = writeApplication(application);
  try {
    await using bridge = await bridgeToStdio([bin, "mcp"], root);
    const { passed, failed } = await runScenarios(bridge.url);
    expect(failed).toEqual(Object.keys({ ...missingFeatures, ...missingOverStdio }).toSorted());
    for (const name of ["server-initialize", "ping", "tools-list"]) expect(passed).toContain(name);
  } finally {
    rmSync(root, { recursive: true });
  }
});
