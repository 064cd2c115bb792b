import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../../runtime/testing/server.ts";
import { SiteBuildError, runSiteBuild } from "./build-command.ts";

function workplace() {
  const cwd = mkdtempSync(join(tmpdir(), "fw-build-"));
  const lines: string[] = [];
  return {
    cwd,
    lines,
    line: (text: string) => void lines.push(text),
    out: join(cwd, "web"),
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true }),
  };
}

const node = JSON.stringify(process.execPath);

describe("a site's build", () => {
  test("runs in the package's directory and makes the site's", async () => {
    using place = workplace();
    await runSiteBuild({ ...place, command: "mkdir web && pwd > web/where.txt" }, place);
    expect(readFileSync(join(place.out, "where.txt"), "utf8").trim()).toBe(place.cwd);
  });

  test("passes its output on, line by line, errors too", async () => {
    using place = workplace();
    const command = `mkdir web && printf 'one\\ntwo\\r\\n\\nthree' && echo oops >&2`;
    await runSiteBuild({ ...place, command }, place);
    expect(place.lines.filter((line) => line !== "oops")).toEqual(["one", "two", "", "three"]);
    expect(place.lines).toContain("oops");
  });

  test("finds the commands of installed packages, of those above too", async () => {
    using place = workplace();
    const bin = join(place.cwd, "node_modules", ".bin");
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(place.cwd, "deep", "web"), { recursive: true });
    writeFileSync(join(bin, "my-generator"), "#!/bin/sh\necho made\n", { mode: 0o755 });
    await runSiteBuild(
      { command: "my-generator", cwd: join(place.cwd, "deep"), out: join(place.cwd, "deep", "web") },
      place,
    );
    expect(place.lines).toEqual(["made"]);
  });

  test("gets the environment that it is given", async () => {
    using place = workplace();
    await runSiteBuild(
      { ...place, command: "mkdir web && echo $BASE_URL" },
      { ...place, env: { BASE_URL: "/x", PATH: process.env["PATH"] } },
    );
    expect(place.lines).toEqual(["/x"]);
  });

  test.each([
    ["a command that fails", "exit 3", "the site's build command failed (exit code 3): exit 3"],
    [
      "a command that does not exist",
      "no-such-generator",
      "the site's build command failed (exit code 127): no-such-generator",
    ],
    ["a command that crashes", "kill -9 $$", "the site's build command failed (signal SIGKILL): kill -9 $$"],
    ["a command that makes nothing", "true", "the site's build command did not create"],
    ["a file where the directory should be", "echo > web", "the site's build command did not create"],
  ])("%s is a message that says so", async (_, command, message) => {
    using place = workplace();
    const failure = await runSiteBuild({ ...place, command }, place).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SiteBuildError);
    expect(String(failure)).toContain(message);
  });

  test("a directory that does not exist is a message", async () => {
    using place = workplace();
    const failure = await runSiteBuild({ ...place, cwd: join(place.cwd, "nowhere"), command: "true" }, place).catch(
      String,
    );
    expect(failure).toContain("the site's build command failed");
  });

  test("is ended with all it started", async () => {
    using place = workplace();
    const stop = new AbortController();
    const script = `require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)`;
    const building = runSiteBuild(
      { ...place, command: `${node} -e "${script}" & wait` },
      { ...place, signal: stop.signal },
    );
    const pidFile = join(place.cwd, "pid");
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "", "the command to start");
    stop.abort(new Error("stopped"));
    await expect(building).rejects.toThrow("stopped");
    const pid = Number(readFileSync(pidFile, "utf8"));
    await until(() => !existsSync(`/proc/${pid}`), "its child to end");
  });

  test("is not begun after the signal", async () => {
    using place = workplace();
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(runSiteBuild({ ...place, command: "mkdir web" }, { ...place, signal })).rejects.toThrow("stopped");
    expect(existsSync(place.out)).toBe(false);
  });
});
