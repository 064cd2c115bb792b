import { listOf } from "../../lib/suggest.ts";
import { connect, isUserError, locate, userErrorText, type CloudConnection } from "../../deploy/connect.ts";
import { withAdvice } from "../../deploy/operate/advice.ts";
import { findDeployed, type DeployedAt } from "../../deploy/operate/find-deployed.ts";
import type { DeployPlace } from "../../deploy/deploy-place.ts";
import type { App } from "../../model/app.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { checkedApp } from "../checked-app.ts";
import type { PartialTarget } from "../deploy/target.ts";

/** A deployed application whose source is on this machine. */
export interface DeployedPlace {
  readonly root: string;
  readonly target: PartialTarget;
  readonly env: IO["env"];
}

/** A deployed application, reached with the operator's credentials. */
export interface Deployed {
  readonly app: App;
  readonly place: DeployPlace;
  readonly connected: CloudConnection;
}

/** Connects to a project with the user's credentials. Converts errors that the user can resolve to Refusals. */
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

export async function withDeployed<T>(
  { root, target, env }: DeployedPlace,
  work: (deployed: Deployed) => Promise<T>,
): Promise<T> {
  const app = await checkedApp(root);
  return withConnected(env, target.project, async (own) => {
    const connected = { ...own, client: withAdvice(own.client) };
    const place = await locate({ app: app.name, project: target.project, env: "", region: "" }, connected);
    if ("what" in place) throw new Refusal(`${place.what}: ${place.todo.join("; ")}`);
    return work({ app, place: { ...place, ...(await completeTarget(app.name, target, connected)) }, connected });
  });
}

/** Completes a missing environment or region from the records of deploys. Refuses unless exactly one record matches. */
async function completeTarget(app: string, target: PartialTarget, { client }: CloudConnection): Promise<DeployedAt> {
  const { project, env, region } = target;
  if (env !== undefined && region !== undefined) return { env, region };
  const all = await findDeployed({ app, project }, client);
  const matches = all.filter((at) => (env ?? at.env) === at.env && (region ?? at.region) === at.region);
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  const places = all.map((at) => `--env ${at.env} --region ${at.region}`);
  if (places.length === 0)
    throw new Refusal(`fw deploy has no record of ${app} in ${project}: pass --env and --region of the deployment`);
  throw new Refusal(`${app} has several deployments in ${project}; choose one: ${listOf(places, "or")}`);
}
