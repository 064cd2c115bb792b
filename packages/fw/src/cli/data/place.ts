import type { App } from "../../model/app.ts";
import type { Platform } from "../../platform/contract.ts";
import { CallSigner } from "../../platform/call-signer.ts";
import { openLocal } from "../../platform/local/open.ts";
import { openLoopback } from "../../platform/loopback/client.ts";
import { platformIdentity } from "../../platform/loopback/protocol.ts";
import { readModel } from "../../topology/built-model.ts";
import { operatorIdentity } from "../../topology/operator.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";
import { answers } from "../run/answers.ts";
import { servicesDirectory } from "../serve/release.ts";
import { findServing, type Serving } from "../serve/serving.ts";
import { definitionsOfModel } from "./definitions.ts";
import { dataDirectory } from "./directory.ts";
import { refusalOf } from "./refusal.ts";

/** Where the data is that a command works with, and who works on it. */
export interface DataPlace {
  /** Absolute. */
  readonly directory: string;
  /** The application whose own it is; absent where a directory was named. */
  readonly root?: string;
  /** The fw serve that runs on it. */
  readonly serving?: Serving;
}

/** An application and its data. */
export interface PlacedData {
  readonly app: App;
  readonly platform: Platform;
}

export async function placeOf(options: OptionValues, io: IO): Promise<DataPlace> {
  const directory = dataDirectory(options, io);
  const found = findServing(directory);
  return {
    directory,
    ...(textOption(options, "data") === undefined && { root: appRoot(io.cwd) }),
    ...(found !== undefined && (await answers(found)) && { serving: found }),
  };
}

/** The application: as it runs, or ran last, where there is no source to be read. */
export async function appAt({ directory, root, serving }: DataPlace): Promise<App> {
  if (root !== undefined && serving === undefined) {
    const { soundApp } = await import("../sound.ts");
    return soundApp(root);
  }
  const model = readModel(servicesDirectory(directory));
  if (model !== undefined) return model.app;
  throw new Refusal(`${directory} does not say which application it is of: fw serve has not run on it with this fw`);
}

/** Works on data: through the server that runs on it, where that is fw serve, else while none does. */
export async function withPlaced<T>(place: DataPlace, work: (data: PlacedData) => Promise<T>): Promise<T> {
  const app = await appAt(place);
  const platform = place.serving === undefined ? await opened(place, app) : through(place.serving);
  try {
    return await work({ app, platform });
  } finally {
    await platform.close();
  }
}

function through({ platform, callKey }: Serving): Platform {
  const signer = new CallSigner(operatorIdentity, callKey);
  return openLoopback({ url: platform, token: () => signer.tokenFor(platformIdentity) });
}

async function opened({ directory, root }: DataPlace, app: App): Promise<Platform> {
  try {
    return await openLocal(directory, definitionsOfModel(app));
  } catch (error) {
    throw refusalOf(error, root);
  }
}
