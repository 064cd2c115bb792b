import { realpathSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Outcome } from "../../deploy/apply.ts";
import { connect, isTold, locate, openCloud, type Connected } from "../../deploy/connect.ts";
import { deploy, lockClock, type Deployed } from "../../deploy/deploy.ts";
import { describe, describedSteps } from "../../deploy/describe.ts";
import { desired } from "../../deploy/desired/desired.ts";
import { openLookUp } from "../../deploy/domains/look-up.ts";
import { domainStates, type DomainStatus } from "../../deploy/domains/state.ts";
import { imagesOf } from "../../deploy/images.ts";
import type { Plan } from "../../deploy/plan.ts";
import type { DeployPlace } from "../../deploy/place.ts";
import { preflight } from "../../deploy/preflight/preflight.ts";
import type { Problem } from "../../deploy/preflight/problem.ts";
import { readSecrets } from "../../deploy/preflight/secrets.ts";
import { answers, smokes, type Smoke } from "../../deploy/smoke.ts";
import { allOfKind } from "../../model/declarations.ts";
import { sourceRoot } from "../app-root.ts";
import { checkBase } from "../build/images.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { palette, wantsColour } from "../print/colour.ts";
import { withApplication, type CheckedApp } from "./application.ts";
import { withoutDomains } from "./domains-option.ts";
import { fitting } from "./fitting.ts";
import { needsOf } from "./needs.ts";
import { domainsText } from "./print-domains.ts";
import { planText, problemsText, warningsText } from "./print-plan.ts";
import type { TargetOptions } from "./target.ts";

export interface DeployOptions extends TargetOptions {
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly yes: boolean;
  readonly adopt: boolean;
  readonly pruneData: boolean;
  readonly withoutDomains: boolean;
  /** What would be typed where something is destroyed. */
  readonly confirm: string | undefined;
}

/** `fw deploy`: checks, builds, plans, asks, carries out, and asks the application whether it answers. */
export async function runDeploy(options: DeployOptions, io: IO): Promise<ExitCode> {
  const root = realpathSync(sourceRoot(io.cwd));
  checkBase(io.env);
  const code = await withApplication(root, io, (checked) =>
    withProject(options, checked.app.name, io, (place, connected) => deployTo(place, connected, checked, options, io)),
  );
  return code ?? 1;
}

/** Finds the project as whoever deploys; what stands in the way of that is told like all else that does. */
export async function withProject(
  { project, env, region, json }: TargetOptions & { readonly json: boolean },
  app: string,
  io: IO,
  work: (place: DeployPlace, connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    const connected = await connect(io.env, project);
    try {
      const place = await locate({ app, env, project, region }, connected);
      if (!("what" in place)) return await work(place, connected);
      tell([place], json, io);
      return 1;
    } finally {
      await connected.close();
    }
  } catch (error) {
    throw isTold(error) ? new Refusal(error.message) : error;
  }
}

async function deployTo(
  place: DeployPlace,
  connected: Connected,
  checked: CheckedApp,
  options: DeployOptions,
  io: IO,
): Promise<ExitCode> {
  const { app } = checked;
  const looking = openCloud(place, connected);
  const who = { who: connected.credentials.who, adopt: options.adopt };
  const needs = needsOf(app, withoutDomains(await checked.unbuilt(), options.withoutDomains));
  const found = await waited(() => preflight(needs, looking, who), io);
  const problems = found.filter(({ warns }) => warns !== true);
  if (problems.length > 0) {
    tell(found, options.json, io);
    return 1;
  }
  if (!options.json) io.out.write(warningsText(found));
  const { manifest: built, directoryOf } = await checked.build();
  const manifest = withoutDomains(built, options.withoutDomains);
  const token = (): Promise<string> => connected.credentials.identity.accessToken();
  const images = await imagesOf({ manifest, place, directoryOf, env: io.env, token });
  const stopping = new AbortController();
  const done = io.onStop(() => stopping.abort(new Refusal("stopped; deploy again to go on from here")));
  try {
    const cloud = openCloud(place, connected, { images: images.pushed });
    const webhooks = allOfKind(app.packages, "channel").flatMap(({ to }) => ("webhook" in to ? [to.webhook] : []));
    await readSecrets([...new Set(webhooks)], cloud);
    const wanted = fitting(() => desired({ manifest, place, images: images.references }));
    const deployed = await deploy({
      cloud,
      desired: wanted,
      options: { adopt: options.adopt, pruneData: options.pruneData },
      holder: connected.credentials.who,
      clock: lockClock,
      signal: stopping.signal,
      confirm: (plan) => confirmed(plan, place, options, io),
      progress: options.json ? {} : progressOn(io),
    });
    const asked = deployed.result === "done" ? await smokes(manifest, place, connected) : [];
    const isThere = deployed.result === "done" || deployed.result === "unchanged";
    const domains = isThere ? await domainStates(wanted, cloud, openLookUp(io.env)) : [];
    return report(deployed, { asked, domains }, place, options, io);
  } finally {
    done();
  }
}

/** What a person has to do elsewhere is waited for at a terminal. */
async function waited(check: () => Promise<readonly Problem[]>, io: IO): Promise<readonly Problem[]> {
  let problems = await check();
  const isManual = (): boolean => {
    const hard = problems.filter(({ warns }) => warns !== true);
    return hard.length > 0 && hard.every(({ manual }) => manual === true);
  };
  if (!io.input.isTTY || !io.out.isTTY || !isManual()) return problems;
  io.out.write(problemsText(problems, palette(wantsColour(io.out, io.env))));
  io.out.write("waiting for it; Ctrl-C ends this\n");
  const stopped = new AbortController();
  const done = io.onStop(() => stopped.abort());
  while (isManual() && !stopped.signal.aborted) {
    await setTimeout(manualPauseMs);
    problems = await check();
  }
  done();
  return problems;
}

/** Milliseconds between two looks at what a person is doing. */
const manualPauseMs = 5_000;

/** Shows a plan, and asks: by name where something is destroyed. */
async function confirmed(plan: Plan, place: DeployPlace, options: DeployOptions, io: IO): Promise<boolean> {
  if (!options.json) io.out.write(planText(plan, palette(wantsColour(io.out, io.env))));
  if (options.dryRun) return false;
  const destroyed = describedSteps(plan).filter(({ destroys }) => destroys);
  if (destroyed.length > 0)
    return typed(
      `${place.app}-${place.env}`,
      destroyed.map(({ title }) => title),
      options.confirm,
      io,
    );
  if (options.yes) return true;
  if (!io.input.isTTY) throw new Refusal("nobody is there to confirm the plan: add --yes");
  return /^y(?:es)?$/i.test(await io.input.line("carry it out? (y/n) "));
}

/** Has a name typed before what it names is destroyed. */
export async function typed(
  name: string,
  destroyed: readonly string[],
  given: string | undefined,
  io: IO,
): Promise<boolean> {
  if (given !== undefined) {
    if (given === name) return true;
    throw new Refusal(`--confirm is ${JSON.stringify(given)}, and what is destroyed belongs to ${name}`);
  }
  if (!io.input.isTTY)
    throw new Refusal(`this destroys ${destroyed.join(", ")}: nobody is there to type the name; add --confirm ${name}`);
  return (await io.input.line(`this destroys ${destroyed.join(", ")}. Type ${name} to go on: `)) === name;
}

/** A line for each step that has ended. */
export function progressOn(io: IO): { readonly ended: (outcome: Outcome) => void } {
  return {
    ended({ step, state, error, milliseconds }) {
      if (state === "skipped") return;
      const { title, op } = describe(step);
      const time = `${(milliseconds / 1000).toFixed(1)} s`;
      io.out.write(
        state === "done" ? `  ${op} ${title} (${time})\n` : `  FAILED ${op} ${title} (${time}): ${error?.message}\n`,
      );
    },
  };
}

function tell(problems: readonly Problem[], json: boolean, io: IO): void {
  if (json) io.out.write(`${JSON.stringify({ version: 1, result: "refused", problems }, undefined, 2)}\n`);
  else io.out.write(problemsText(problems, palette(wantsColour(io.out, io.env))));
}

function report(
  { plan, result, outcomes }: Deployed,
  { asked, domains }: { readonly asked: readonly Smoke[]; readonly domains: readonly DomainStatus[] },
  place: DeployPlace,
  options: DeployOptions,
  io: IO,
): ExitCode {
  const silent = asked.filter(({ status }) => !answers(status));
  const code =
    (result === "declined" && !options.dryRun) ||
    result === "blocked" ||
    result === "failed" ||
    silent.length > 0 ||
    domains.some(({ state }) => state === "failed")
      ? 1
      : 0;
  if (options.json) {
    const told = outcomes.map(({ step, state, error, milliseconds }) => ({
      op: step.op,
      kind: step.resource.kind,
      id: step.resource.id,
      state,
      milliseconds: Math.round(milliseconds),
      ...(error && { error: error.message }),
    }));
    const { app, env, project, region } = place;
    const said = {
      version: 1,
      app,
      env,
      project,
      region,
      result: options.dryRun && result === "declined" ? "planned" : result,
    };
    io.out.write(
      `${JSON.stringify({ ...said, steps: describedSteps(plan), outcomes: told, services: asked, domains }, undefined, 2)}\n`,
    );
    return code;
  }
  if (result === "unchanged") io.out.write(`nothing to do: ${place.app} in ${place.env} is as declared\n`);
  if (result === "blocked") io.out.write(planText(plan, palette(wantsColour(io.out, io.env))));
  if (result === "declined" && !options.dryRun) io.out.write("nothing was written\n");
  if (result === "failed") {
    const skipped = outcomes.filter(({ state }) => state === "skipped").length;
    io.out.write(`\nit did not end: ${skipped} steps are left; deploy again to go on from here\n`);
  }
  for (const { service, url, status } of asked)
    io.out.write(`${service} ${url} ${status === 0 ? "no answer" : status}\n`);
  io.out.write(domainsText(domains));
  if (silent.length > 0)
    io.out.write(
      `\n${silent.map(({ service }) => service).join(", ")} does not answer: see "fw logs", or go back with "fw deploy --rollback"\n`,
    );
  return code;
}
