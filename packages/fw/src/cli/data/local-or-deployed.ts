import type { App } from "../../model/app.ts";
import type { Platform } from "../../platform/contract.ts";
import type { HeldMessages } from "../../platform/messages.ts";
import { CallSigner } from "../../platform/call-signer.ts";
import { openLoopback } from "../../platform/loopback/client.ts";
import { operatorIdentity, platformIdentity } from "../../platform/loopback/protocol.ts";
import { readModel } from "../../topology/built-model.ts";
import { appRoot, isInApplication } from "../app-root.ts";
import { Refusal } from "../command.ts";
import { readOptionalTarget } from "../deploy/target.ts";
import type { DeployedPlace } from "../deployed/deployed.ts";
import type { IO } from "../io.ts";
import { answers } from "../run/answers.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { serverOn, type Serving } from "../serve/serving.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import { dataLocation, type DataOptions, type PlaceOptions } from "./options.ts";
import { openData } from "./open.ts";

/** The data that a command uses: on this machine, or of a deployed application. */
export type DataPlace = LocalPlace | DeployedPlace;

/** Data on this machine, and the server that runs on it. */
export interface LocalPlace {
  /** The absolute path of the data. */
  readonly directory: string;
  /** The data to copy if there is none yet. */
  readonly copyOf?: string;
  /** The directory of the application that owns the data; absent if the user named a data directory. */
  readonly root?: string;
  /** The directory of the application around the current directory; absent if there is none that depends on fw. */
  readonly source?: string;
  /** The `fw serve` that runs on the data, if it responds. */
  readonly serving?: Serving;
}

export interface PlacedData {
  readonly app: App;
  readonly platform: Platform;
  readonly heldMessages?: HeldMessages | undefined;
}

export async function placeOf(options: PlaceOptions, io: IO): Promise<DataPlace> {
  const target = readOptionalTarget(options);
  return target === undefined ? localPlaceOf(options, io) : { root: appRoot(io.cwd), target, env: io.env };
}

export function isDeployed(place: DataPlace): place is DeployedPlace {
  return "target" in place;
}

export async function localPlaceOf(options: DataOptions, io: IO): Promise<LocalPlace> {
  const { directory, copyOf } = dataLocation(options, io);
  const server = serverOn(directory).find();
  return {
    directory,
    ...(copyOf !== undefined && { copyOf }),
    ...(options.data === undefined && { root: appRoot(io.cwd) }),
    ...(isInApplication(io.cwd) && { source: appRoot(io.cwd) }),
    ...(server !== undefined && (await answers(server)) && { serving: server }),
  };
}

/**
 * Finds the application that the data belongs to. If the user named no directory and no `fw serve` runs on the data,
 * reads its source. Otherwise uses the model of the running or last release, or of the backup; without a model, the
 * source in the current directory.
 */
export async function appAt(place: LocalPlace): Promise<App> {
  const app = await knownAppAt(place);
  if (app !== undefined) return app;
  throw new Refusal(
    `cannot tell which application the data in ${place.directory} belongs to: run this command in the application's directory`,
  );
}

/** Like `appAt`, but returns undefined if the data's application is unknown. */
export async function knownAppAt({ directory, root, source, serving }: LocalPlace): Promise<App | undefined> {
  const own = serving === undefined ? root : undefined;
  const model = own === undefined ? readModel(servicesDirectory(directory)) : undefined;
  if (model !== undefined) return model.app;
  const readable = own ?? source;
  if (readable === undefined) return undefined;
  const { checkedApp } = await import("../checked-app.ts");
  return checkedApp(readable);
}

/** Runs work on data of a deployed application, of a running `fw serve`, or that this process opens. */
export async function withData<T>(place: DataPlace, work: (data: PlacedData) => Promise<T>): Promise<T> {
  return isDeployed(place) ? withDeployedData(place, work) : withLocalData(place, work);
}

async function withDeployedData<T>(place: DeployedPlace, work: (data: PlacedData) => Promise<T>): Promise<T> {
  const { withDeployed } = await import("../deployed/deployed.ts");
  const { openOperator } = await import("../../deploy/operate/operator.ts");
  return withDeployed(place, async ({ app, place: at, connected }) => {
    const { platform, deadMessages } = await openOperator(at, definitionsOfModel(app), connected, place.env);
    try {
      return await work({ app, platform, heldMessages: deadMessages });
    } finally {
      await platform.close();
    }
  });
}

async function withLocalData<T>(place: LocalPlace, work: (data: PlacedData) => Promise<T>): Promise<T> {
  const app = await appAt(place);
  const platform =
    place.serving === undefined ? await openData(place, app, { root: place.root }) : openServedData(place.serving);
  try {
    return await work({ app, platform, heldMessages: platform.dispatcher });
  } finally {
    await platform.close();
  }
}

/** Accesses the data of a running `fw serve` through that server. */
export function openServedData({ platform, callKey }: Serving): Platform {
  const signer = new CallSigner(operatorIdentity, callKey);
  return openLoopback({ url: platform, token: () => signer.tokenFor(platformIdentity) });
}
