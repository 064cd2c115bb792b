import type { App } from "../../model/app.ts";
import type { Platform } from "../../platform/contract.ts";
import type { HeldMessages } from "../../platform/messages.ts";
import { CallSigner } from "../../platform/call-signer.ts";
import { openLoopback } from "../../platform/loopback/client.ts";
import { operatorIdentity, platformIdentity } from "../../platform/loopback/protocol.ts";
import { readModel } from "../../topology/built-model.ts";
import { appRoot, isInApplication } from "../app-root.ts";
import { Refusal } from "../command.ts";
import { givenTarget } from "../deploy/target.ts";
import type { DeployedPlace } from "../deployed/deployed.ts";
import type { IO } from "../io.ts";
import { answers } from "../run/answers.ts";
import { servicesDirectory } from "../serve/release.ts";
import { serverOn, type Serving } from "../serve/serving.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import { dataDirectory, type DataOptions, type PlaceOptions } from "./options.ts";
import { openData } from "./open.ts";

/** Where the data is that a command works with: on this machine, or where the application is deployed. */
export type DataPlace = LocalPlace | DeployedPlace;

/** Data of this machine, and who works on it. */
export interface LocalPlace {
  /** Absolute. */
  readonly directory: string;
  /** The application whose own it is; absent where a directory was named. */
  readonly root?: string;
  /** The application in whose directory the command runs; absent outside of applications. */
  readonly source?: string;
  /** The fw serve that runs on it. */
  readonly serving?: Serving;
}

/** An application and its data. */
export interface PlacedData {
  readonly app: App;
  readonly platform: Platform;
  /** What its consumers have failed at. */
  readonly held?: HeldMessages | undefined;
}

export async function placeOf(options: PlaceOptions, io: IO): Promise<DataPlace> {
  const target = givenTarget(options);
  return target === undefined ? localPlaceOf(options, io) : { root: appRoot(io.cwd), target, env: io.env };
}

export function isDeployed(place: DataPlace): place is DeployedPlace {
  return "target" in place;
}

export async function localPlaceOf(options: DataOptions, io: IO): Promise<LocalPlace> {
  const directory = dataDirectory(options, io);
  const found = serverOn(directory).find();
  return {
    directory,
    ...(options.data === undefined && { root: appRoot(io.cwd) }),
    ...(isInApplication(io.cwd) && { source: appRoot(io.cwd) }),
    ...(found !== undefined && (await answers(found)) && { serving: found }),
  };
}

/**
 * The application: its source for its own data; otherwise the model of what runs or ran on the data last, or came with
 * its backup; then the source of the application here.
 */
export async function appAt(place: LocalPlace): Promise<App> {
  const app = await knownAppAt(place);
  if (app !== undefined) return app;
  throw new Refusal(
    `nothing says which application the data in ${place.directory} is of: run this in the directory of the application`,
  );
}

/** The same as `appAt`, but undefined if nothing says which application it is. */
export async function knownAppAt({ directory, root, source, serving }: LocalPlace): Promise<App | undefined> {
  const own = serving === undefined ? root : undefined;
  const model = own === undefined ? readModel(servicesDirectory(directory)) : undefined;
  if (model !== undefined) return model.app;
  const readable = own ?? source;
  if (readable === undefined) return undefined;
  const { soundApp } = await import("../sound.ts");
  return soundApp(readable);
}

/**
 * Works on data: of a deployed application; through the server that runs on it, where that is fw serve; else while none
 * does.
 */
export async function withPlaced<T>(place: DataPlace, work: (data: PlacedData) => Promise<T>): Promise<T> {
  return isDeployed(place) ? withDeployedData(place, work) : withLocalData(place, work);
}

async function withDeployedData<T>(place: DeployedPlace, work: (data: PlacedData) => Promise<T>): Promise<T> {
  const { withDeployed } = await import("../deployed/deployed.ts");
  const { openOperator } = await import("../../deploy/operate/operator.ts");
  return withDeployed(place, async ({ app, place: at, connected }) => {
    const { platform, deadMessages } = await openOperator(at, definitionsOfModel(app), connected, place.env);
    try {
      return await work({ app, platform, held: deadMessages });
    } finally {
      await platform.close();
    }
  });
}

async function withLocalData<T>(place: LocalPlace, work: (data: PlacedData) => Promise<T>): Promise<T> {
  const app = await appAt(place);
  const platform =
    place.serving === undefined ? await openData(place.directory, app, { root: place.root }) : through(place.serving);
  try {
    return await work({ app, platform, held: platform.dispatcher });
  } finally {
    await platform.close();
  }
}

function through({ platform, callKey }: Serving): Platform {
  const signer = new CallSigner(operatorIdentity, callKey);
  return openLoopback({ url: platform, token: () => signer.tokenFor(platformIdentity) });
}
