import { setTimeout } from "node:timers/promises";
import { openCloud } from "../../deploy/connect.ts";
import { dashboardLink } from "../../deploy/dashboard-link.ts";
import { deploy, lockClock, type DeployResult } from "../../deploy/deploy.ts";
import { describedSteps } from "../../deploy/describe.ts";
import { desired } from "../../deploy/desired/desired.ts";
import { liveVersionOf } from "../../deploy/live-versions.ts";
import { openLookUp } from "../../deploy/domains/look-up.ts";
import { domainStates, type DomainStatus } from "../../deploy/domains/state.ts";
import type { Plan } from "../../deploy/plan.ts";
import type { DeployPlace } from "../../deploy/deploy-place.ts";
import { preflight } from "../../deploy/preflight/preflight.ts";
import { resendWaiting } from "../../deploy/resend-waiting.ts";
import type { Resource } from "../../deploy/resource.ts";
import type { Problem } from "../../deploy/preflight/problem.ts";
import { recordedSchema } from "../../evolution/recorded.ts";
import { answers, smokes, type Smoke } from "../../deploy/smoke.ts";
import { counted } from "../../lib/counted.ts";
import { sourceRoot } from "../app-root.ts";
import { checkBase } from "../build/images.ts";
import { Refusal, refuseOnError, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { terminalPalette } from "../print/colour.ts";
import { printJSON } from "../print/output.ts";
import { withoutDomains } from "./target.ts";
import { incompleteText, stoppedText } from "./incomplete.ts";
import { needsOf } from "./needs.ts";
import { dashboardText, domainsText, exposedText, planText, problemsText, warningsText } from "./print-plan.ts";
import {
  confirmYes,
  buildDeployment,
  progressOn,
  printProblems,
  confirmByName,
  withProject,
  type BuiltDeployment,
  type Deployment,
  type ProjectOptions,
} from "./project.ts";

export interface DeployOptions extends ProjectOptions {
  readonly dryRun: true | undefined;
  readonly yes: true | undefined;
  readonly adopt: true | undefined;
  readonly pruneData: true | undefined;
  readonly withoutDomains: true | undefined;
  readonly acceptDataChanges: true | undefined;
  /** The name that the user has given in advance to confirm destruction. */
  readonly confirm: string | undefined;
}

/** Runs `fw deploy`: checks, builds, plans, confirms, applies, resends waiting messages, and probes public services. */
export async function runDeploy(options: DeployOptions, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  checkBase(io.env);
  return withProject({ ...options, root }, io, (deployment) => deployTo(deployment, options, io));
}

async function deployTo(deployment: Deployment, options: DeployOptions, io: IO): Promise<ExitCode> {
  if (!(await passesPreflight(deployment, options, io))) return 1;
  const { place, connected } = deployment;
  const { manifest, images, cloud } = await buildDeployment(deployment, options, io);
  const stopping = new AbortController();
  const done = io.onStop(() => stopping.abort(new Refusal("stopped")));
  try {
    io.progress.step("comparing the project with the application");
    // Names that Google rejects must fail before anything is written.
    const resources = refuseOnError(() => desired({ manifest, place, images: images.references }));
    const deployResult = await deploy({
      cloud,
      desired: resources,
      options: { adopt: options.adopt === true, pruneData: options.pruneData === true && "retained" },
      version: liveVersionOf(recordedSchema(deployment.checked.app), manifest),
      holder: connected.credentials.who,
      clock: lockClock,
      signal: stopping.signal,
      confirm: (plan) => confirmPlan(plan, place, { ...options, io }),
      progress: progressOn(io, options),
    });
    io.progress.step("requesting each service");
    const outcome = await outcomeOf(deployResult, deployment, { manifest, cloud, resources, env: io.env });
    io.progress.end();
    (options.json ? printOutcome : printOutcomeText)(outcome, options, io);
    return exitCodeOf(outcome, options);
  } finally {
    done();
  }
}

/**
 * Completes a deploy: resends waiting messages and sends a request to each public service. Returns its result with the
 * outcomes, the state of domains and the dashboard's URL.
 */
async function outcomeOf(
  deployResult: DeployResult,
  { place, connected }: Deployment,
  { manifest, cloud, resources, env }: AppliedDeploy,
): Promise<DeployOutcome> {
  const isDone = deployResult.result === "done";
  const isLive = isDone || deployResult.result === "unchanged";
  return {
    ...deployResult,
    resent: isDone ? await resendWaiting(manifest, place, { connected, env }) : 0,
    responses: isDone ? await smokes(manifest, place, connected) : [],
    domains: isLive ? await domainStates(resources, cloud, openLookUp(env)) : [],
    dashboard: isLive ? dashboardLink(cloud) : undefined,
    place,
  };
}

interface AppliedDeploy extends Pick<BuiltDeployment, "manifest" | "cloud">, Pick<IO, "env"> {
  readonly resources: readonly Resource[];
}

/**
 * Checks the project, waits at a terminal until the user has completed manual steps, and prints the remaining problems.
 * Returns false if they prevent the deploy.
 */
async function passesPreflight(
  { checked, place, connected }: Deployment,
  options: DeployOptions,
  io: IO,
): Promise<boolean> {
  const needs = needsOf(checked.app, withoutDomains(await checked.unbuilt(), options));
  io.progress.step("checking the project");
  const facts = {
    who: connected.credentials.who,
    adopt: options.adopt === true,
    acceptDataChanges: options.acceptDataChanges === true,
  };
  const problems = await awaitManualSteps(() => preflight(needs, openCloud(place, connected), facts), io);
  const isBlocked = problems.some(({ warns }) => warns !== true);
  if (isBlocked) printProblems(problems, options.json, io);
  else if (!options.json) io.out.write(warningsText(problems));
  return !isBlocked;
}

/** At a terminal, waits while all blockers are manual steps for the user. Returns the remaining problems. */
async function awaitManualSteps(check: () => Promise<readonly Problem[]>, io: IO): Promise<readonly Problem[]> {
  let problems = await check();
  const isManual = (): boolean => {
    const blockers = problems.filter(({ warns }) => warns !== true);
    return blockers.length > 0 && blockers.every(({ manual }) => manual === true);
  };
  if (!io.input.isTTY || !io.out.isTTY || !isManual()) return problems;
  io.progress.end();
  io.out.write(problemsText(problems, terminalPalette(io)));
  io.out.write("waiting until it is done; press Ctrl-C to stop\n");
  const stopped = new AbortController();
  const done = io.onStop(() => stopped.abort());
  while (isManual() && !stopped.signal.aborted) {
    await setTimeout(manualPauseMs);
    problems = await check();
  }
  done();
  return problems;
}

/** Milliseconds between two checks of the manual steps. */
const manualPauseMs = 5_000;

/**
 * Shows a plan and returns whether to apply it: never in a dry run, otherwise if the user confirms it or passed
 * `--yes`. If the plan destroys data, the user must type a name or pass it as `--confirm`.
 */
async function confirmPlan(
  plan: Plan,
  place: DeployPlace,
  { io, json, dryRun, yes, confirm, verbose }: DeployOptions & { readonly io: IO },
): Promise<boolean> {
  if (!json) io.out.write(planText(plan, { palette: terminalPalette(io), verbose: verbose === true }));
  if (dryRun) return false;
  const destroyed = describedSteps(plan).flatMap(({ destroys, title }) => (destroys ? [title] : []));
  const isConfirmed =
    destroyed.length > 0
      ? await confirmByName(`${place.app}-${place.env}`, destroyed, { confirm, io })
      : yes === true || (await confirmYes("Apply this plan?", io));
  if (isConfirmed) io.progress.step("applying the plan");
  return isConfirmed;
}

interface DeployOutcome extends DeployResult {
  /** The public services, with their responses to a request after the deploy. */
  readonly responses: readonly Smoke[];
  /** The number of messages that did not match the previous code and were sent again. */
  readonly resent: number;
  readonly domains: readonly DomainStatus[];
  readonly dashboard: string | undefined;
  readonly place: DeployPlace;
}

function exitCodeOf({ result, responses, domains }: DeployOutcome, { dryRun }: DeployOptions): ExitCode {
  const isRefused = (result === "declined" && !dryRun) || result === "blocked" || result === "failed";
  const isWrong = responses.some(({ status }) => !answers(status)) || domains.some(({ state }) => state === "failed");
  return isRefused || isWrong ? 1 : 0;
}

function printOutcome(
  {
    plan,
    result,
    outcomes,
    interruption,
    resent,
    responses,
    domains,
    dashboard,
    place: { app, env, project, region },
  }: DeployOutcome,
  { dryRun }: DeployOptions,
  io: IO,
): void {
  printJSON(
    {
      version: 1,
      app,
      env,
      project,
      region,
      result: dryRun && result === "declined" ? "planned" : result,
      ...stoppedText(interruption && { interruption }),
      steps: describedSteps(plan),
      exposed: plan.exposed,
      outcomes: outcomes.map(({ step, state, error, milliseconds }) => ({
        op: step.op,
        kind: step.resource.kind,
        id: step.resource.id,
        state,
        milliseconds: Math.round(milliseconds),
        ...(error && { error: error.message }),
      })),
      resent,
      services: responses,
      domains,
      dashboard,
    },
    io,
  );
}

function printOutcomeText(
  { plan, result, outcomes, interruption, resent, responses, domains, dashboard, place }: DeployOutcome,
  { dryRun, verbose }: DeployOptions,
  io: IO,
): void {
  const unresponsive = responses.flatMap(({ service, status }) => (answers(status) ? [] : [service]));
  if (result === "unchanged")
    io.out.write(
      `nothing to do: ${place.app} in ${place.env} is up to date\n${exposedText(plan.exposed, terminalPalette(io))}`,
    );
  if (result === "blocked") io.out.write(planText(plan, { palette: terminalPalette(io), verbose: verbose === true }));
  if (result === "declined" && !dryRun) io.out.write("nothing was changed\n");
  if (result === "done") io.out.write(`done: ${counted(outcomes.length, "step")}\n`);
  if (resent > 0) io.out.write(`sent ${counted(resent, "message")} again that did not fit the previous version\n`);
  if (result === "failed") io.out.write(incompleteText("deploy", { outcomes, ...(interruption && { interruption }) }));
  for (const { service, url, status } of responses)
    io.out.write(`${service} ${url} ${status === 0 ? "no response" : status}\n`);
  io.out.write(domainsText(domains) + dashboardText(dashboard));
  if (unresponsive.length > 0) io.out.write(`\n${unresponsiveText(unresponsive)}\n`);
}

/** Lists the services that did not respond, and the next steps. */
export function unresponsiveText(services: readonly string[]): string {
  const verb = services.length === 1 ? "does" : "do";
  const names = [...services.slice(0, -2), services.slice(-2).join(" and ")].join(", ");
  return `${names} ${verb} not respond: read "fw logs ${services[0]}", or go back with "fw deploy --rollback"`;
}
