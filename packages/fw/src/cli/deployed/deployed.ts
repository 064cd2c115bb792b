import { listOf } from "../../lib/suggest.ts";
import { connect, isUserError, locate, userErrorText, type CloudConnection } from "../../deploy/connect.ts";
import { withAdvice } from "../../deploy/operate/advice.ts";
import { findDeployed, type DeployedAt } from "../../deploy/operate/find-deployed.ts";
import type { DeployPlace } from "../../deploy/deploy-place.ts";
import type { App } from "../../model/app.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { soundApp } from "../sound.ts";
import type { GivenTarget } from "../deploy/target.ts";

/** A deployed application that a command works with: its source is here. */
export interface DeployedPlace {
  readonly root: string;
  readonly target: GivenTarget;
  readonly env: IO["env"];
}

/** An application where it is deployed, as whoever operates it reaches it. */
export interface Deployed {
  readonly app: App;
  readonly place: DeployPlace;
  readonly connected: CloudConnection;
}

/**
 * Works with a project of Google Cloud as who calls the command reaches it. What Google refuses is told as a sentence.
 */
export async function withConnected<T>(
  env: IO["env"],
  project: string,
  work: (connected: CloudConnection) => Promise<T>,
): Promise<T> {
  try {
    const connected = await connect(env, project);
    try {
      return await work(connected);
    } finally {
      await connected.close();
    }
  } catch (error) {
    const isSentence = isUserError(error) || isPlatformError(error, "denied") || isPlatformError(error, "unreachable");
    throw isSentence ? new Refusal(userErrorText(error, env)) : error;
  }
}

/** Works with a deployed application. */
export async function withDeployed<T>(
  { root, target, env }: DeployedPlace,
  work: (deployed: Deployed) => Promise<T>,
): Promise<T> {
  const app = await soundApp(root);
  return withConnected(env, target.project, async (own) => {
    const connected = { ...own, client: withAdvice(own.client) };
    const place = await locate({ app: app.name, project: target.project, env: "", region: "" }, connected);
    if ("what" in place) throw new Refusal(`${place.what}: ${place.todo.join("; ")}`);
    return work({ app, place: { ...place, ...(await wholeTarget(app.name, target, connected)) }, connected });
  });
}

/**
 * What of the environment and the region is not said is what deploys have written down, where that leaves no choice.
 */
async function wholeTarget(app: string, target: GivenTarget, { client }: CloudConnection): Promise<DeployedAt> {
  const { project, env, region } = target;
  if (env !== undefined && region !== undefined) return { env, region };
  const all = await findDeployed({ app, project }, client);
  const found = all.filter((at) => (env ?? at.env) === at.env && (region ?? at.region) === at.region);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const there = all.map((at) => `--env ${at.env} --region ${at.region}`);
  if (there.length === 0)
    throw new Refusal(
      `${app} is not deployed to ${project}; say --env and --region where it is, without a record of fw deploy`,
    );
  throw new Refusal(`say where in ${project}: ${app} is deployed to ${listOf(there, "and")}`);
}
