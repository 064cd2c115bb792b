import { realpathSync } from "node:fs";
import type { Manifest } from "../../build/manifest.ts";
import type { Outcome } from "../../deploy/apply.ts";
import { locate, openCloud, userErrorText, type CloudConnection } from "../../deploy/connect.ts";
import { describe } from "../../deploy/describe.ts";
import type { PlanStep } from "../../deploy/plan.ts";
import { imagesOf } from "../../deploy/images.ts";
import { counted } from "../../lib/counted.ts";
import type { DeployPlace } from "../../deploy/deploy-place.ts";
import type { Problem } from "../../deploy/preflight/problem.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { withConnected } from "../deployed/deployed.ts";
import { printJSON } from "../print/output.ts";
import { terminalPalette } from "../print/colour.ts";
import { withApplication, type CheckedApp } from "./application.ts";
import { problemsText } from "./print-plan.ts";
import { withoutDomains, type TargetOptions } from "./target.ts";

export interface ProjectOptions extends TargetOptions {
  readonly json: true | undefined;
  readonly verbose: true | undefined;
}

/** A checked application and the project to deploy it to, with the user's credentials. */
export interface Deployment {
  readonly checked: CheckedApp;
  readonly place: DeployPlace;
  readonly connected: CloudConnection;
}

/**
 * Checks an application, connects to its project and passes both to `work`. If either has problems, prints them
 * instead.
 */
export function withProject(
  { root, json, ...target }: ProjectOptions & { readonly root: string },
  io: IO,
  work: (deployment: Deployment) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withApplication(realpathSync(root), io, async (checked) => {
    const { project, env, region } = target;
    io.progress.step(`connecting to the project ${project}`);
    return withConnected(io.env, project, async (connected) => {
      const place = await locate({ app: checked.app.name, env, project, region }, connected);
      const waiting = (reason: string): void => io.err.write(`waiting: ${reason}\n`);
      if (!("what" in place)) return work({ checked, place, connected: { ...connected, waiting } });
      printProblems([place], json, io);
      return 1;
    });
  });
}

/** Builds the services and images of a deploy, and connects to the project's cloud. */
export async function buildDeployment(
  { checked, place, connected }: Deployment,
  options: { readonly withoutDomains: true | undefined },
  { env, progress }: Pick<IO, "env" | "progress">,
): Promise<BuiltDeployment> {
  const { manifest: fullManifest, directoryOf } = await checked.build();
  const manifest = withoutDomains(fullManifest, options);
  progress.step("building images");
  const token = (): Promise<string> => connected.credentials.identity.accessToken();
  const images = await imagesOf({ manifest, place, directoryOf, env, token });
  return { manifest, images, cloud: openCloud(place, connected, { images: images.pushed }) };
}

/** A build with its images, and its target project. */
export interface BuiltDeployment {
  readonly manifest: Manifest;
  readonly images: Awaited<ReturnType<typeof imagesOf>>;
  readonly cloud: ReturnType<typeof openCloud>;
}

/**
 * Asks the user to confirm a destruction by typing `name`; false for any other input. Does not ask if `confirm` is the
 * name. Throws a Refusal if `confirm` is something else, or if there is no terminal.
 */
export async function confirmByName(
  name: string,
  destroyed: readonly string[],
  { confirm, io }: { readonly confirm: string | undefined; readonly io: IO },
): Promise<boolean> {
  io.progress.end();
  if (confirm !== undefined) {
    if (confirm === name) return true;
    throw new Refusal(`--confirm is ${JSON.stringify(confirm)}, but must be ${name}`);
  }
  if (!io.input.isTTY)
    throw new Refusal(
      `this destroys ${destroyed.join(", ")}; without a terminal to type the name, pass --confirm ${name}`,
    );
  return (await io.input.line(`this destroys ${destroyed.join(", ")}. Type ${name} to continue: `)) === name;
}

/** Asks a yes-or-no question; true for yes. Refuses if there is no terminal. */
export async function confirmYes(question: string, io: IO): Promise<boolean> {
  io.progress.end();
  if (!io.input.isTTY) throw new Refusal("no terminal to confirm on: pass --yes");
  return /^y(?:es)?$/i.test(await io.input.line(`${question} (y/n) `));
}

/** Milliseconds after which a step gets a separate line. */
const slowMs = 1_000;

/**
 * Returns callbacks that print a line for each slow or failed step, for every step with --verbose, or for none with
 * --json.
 */
export function progressOn(
  io: IO,
  { json, verbose }: Pick<ProjectOptions, "json" | "verbose">,
): { readonly onStart?: (step: PlanStep) => void; readonly onEnd?: (outcome: Outcome) => void } {
  if (json) return {};
  let count = 0;
  return {
    onStart: (step) => io.progress.detail(`${counted(count, "step")} done, ${describe(step).title}`),
    onEnd({ step, state, error, milliseconds }) {
      count++;
      const { title, op } = describe(step);
      const time = `${(milliseconds / 1000).toFixed(1)} s`;
      if (state === "failed")
        io.out.write(`  FAILED ${title} (${op}, ${time}): ${error && userErrorText(error, io.env)}\n`);
      if (state === "done" && (verbose || milliseconds >= slowMs)) io.out.write(`  ${op} ${title} (${time})\n`);
    },
  };
}

export function printProblems(problems: readonly Problem[], json: true | undefined, io: IO): void {
  if (json) printJSON({ version: 1, result: "refused", problems }, io);
  else io.out.write(problemsText(problems, terminalPalette(io)));
}
