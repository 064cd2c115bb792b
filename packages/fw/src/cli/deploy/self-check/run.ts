import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../lib/thrown.ts";
import { withConnected } from "../../deployed/deployed.ts";
import type { ExitCode } from "../../command.ts";
import type { IO } from "../../io.ts";
import { version } from "../../version.ts";
import { confirmYes } from "../project.ts";
import type { TargetOptions } from "../target.ts";
import { appName, notCovered, writeCheckApplication } from "./application.ts";
import { checksOf, type Check, type RunFw } from "./checks.ts";
import { reportText, type CheckResult } from "./report.ts";

const reportName = "fw-self-check.json";

/** Runs `fw deploy --self-check`: deploys a test application, exercises it, destroys it, and writes a report. */
export async function runSelfCheck(
  { project, env, region, yes }: TargetOptions & { readonly yes: true | undefined },
  io: IO,
): Promise<ExitCode> {
  const name = `${appName}-${env}`;
  if (!yes && !(await confirmRun(name, project, io))) return 1;
  const startedAt = new Date().toISOString();
  const root = writeCheckApplication();
  try {
    const target = ["--project", project, "--env", env, "--region", region];
    const checks = await withConnected(io.env, project, (connected) =>
      runChecks(checksOf(fwIn(root, target, io), connected, name), io),
    );
    const ok = checks.every((each) => each.ok);
    const report = { version: 1, ...environment(), region, startedAt, ok, checks, notCovered } as const;
    writeFileSync(join(io.cwd, reportName), reportText(report, project));
    io.out.write(`\n${ok ? "all checks passed" : "some checks failed"}; the report is ${reportName}\n`);
    return ok ? 0 : 1;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function confirmRun(name: string, project: string, io: IO): Promise<boolean> {
  const question = `this deploys ${name} to ${project}, exercises it and destroys it, in about ten minutes. Continue?`;
  return confirmYes(question, io);
}

function environment(): { readonly fw: string; readonly node: string; readonly platform: string } {
  return { fw: version(), node: process.version, platform: `${process.platform} ${process.arch}` };
}

/** The number of final checks that remove the application, even after a failure. */
const cleanUpChecks = 2;

async function runChecks(checks: readonly Check[], io: IO): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [at, check] of checks.entries()) {
    const hasFailed = results.some(({ ok }) => !ok);
    if (hasFailed && at < checks.length - cleanUpChecks) continue;
    const result = await runCheck(check);
    io.out.write(`  ${result.ok ? "ok" : "FAILED"} ${result.name} (${result.seconds} s)\n`);
    if (result.detail !== undefined) io.out.write(`${result.detail.trimEnd().replaceAll(/^/gm, "    ")}\n`);
    results.push(result);
  }
  return results;
}

async function runCheck({ name, run }: Check): Promise<CheckResult> {
  const since = Date.now();
  const seconds = (): number => Math.round((Date.now() - since) / 100) / 10;
  try {
    await run();
    return { name, ok: true, seconds: seconds() };
  } catch (error) {
    return { name, ok: false, seconds: seconds(), detail: messageOf(error) };
  }
}

/** Returns a function that runs `fw` commands as a user would and captures their output. */
function fwIn(root: string, target: readonly string[], io: IO): RunFw {
  return async (...argv) => {
    const { main } = await import("../../main.ts");
    let output = "";
    const write = (text: string): void => void (output += text);
    const capture = { isTTY: false, write };
    const code = await main([...argv, ...target], { ...io, cwd: root, out: capture, err: capture });
    return { code, output };
  };
}
