import { onTestFinished } from "vitest";
import { startFakeCloud, type FakeCloud } from "../../../../fake-cloud/src/index.ts";
import { openClient, type CloudClient } from "../../platform/gcp/rest/client.ts";
import { Connections } from "../../platform/gcp/rest/connections.ts";
import { readEndpoints } from "../../platform/gcp/rest/endpoints.ts";
import { Retries } from "../../platform/gcp/rest/retry.ts";
import { DeployCloud } from "../deploy-cloud.ts";
import type { PushedImage } from "../deploy-cloud.ts";
import type { LockClock } from "../lock.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** An empty project in a fake cloud. */
export interface TestProject {
  readonly fake: FakeCloud;
  readonly place: DeployPlace;
  /** Calls an API as the deploying account. */
  readonly client: CloudClient;
  /** Opens the project for a new deploy, whose pauses take no time. */
  readonly open: (client?: Pick<CloudClient, "call">, references?: readonly string[]) => DeployCloud;
  readonly clock: LockClock;
  /** The reported reasons for waits. */
  readonly waits: string[];
  /** References to the pushed images. */
  readonly pushed: Set<string>;
}

interface TestProjectOptions {
  readonly newProject?: boolean | "console";
  readonly app?: string;
  /** The roles of the deploying account; `roles/owner` by default. */
  readonly roles?: readonly string[];
}

/** Creates a project for one test. Its clock advances while a deploy waits, and it starts no images. */
export async function testProject(seed = 1, options: TestProjectOptions = {}): Promise<TestProject> {
  const { newProject = false, app = "shop", roles = ["roles/owner"] } = options;
  const fake = await startFakeCloud({ start: Date.UTC(2026, 0, 1), seed, containers: false, newProject });
  const { id, number, region } = fake.project;
  const place = { app, env: "test", project: id, projectNumber: number, region };
  const deployer = `deployer@${id}.iam.gserviceaccount.com`;
  for (const role of roles) fake.grant(`serviceAccount:${deployer}`, role);
  fake.apis.domains.verify(deployer, "example.com");
  const connections = new Connections();
  const token = (): string => fake.token(deployer);
  const client = openClient({
    connections,
    endpointOf: readEndpoints(fake.env),
    identity: {
      accessToken: () => Promise.resolve(token()),
      email: () => Promise.resolve(deployer),
      forgetAccessToken: () => {},
    },
    retries: new Retries(() => Promise.resolve()),
  });
  onTestFinished(async () => {
    await connections.close();
    await fake.stop();
  });
  let pendingMove: Promise<void> = Promise.resolve();
  const sleep = (milliseconds: number): Promise<void> =>
    (pendingMove = pendingMove.then(() => fake.clock.advance(Math.ceil(milliseconds))));
  const now = (): number => fake.clock.now();
  const pushed = new Set<string>();
  const waits: string[] = [];
  const imageOf = (reference: string): PushedImage => ({
    exists: () => Promise.resolve(pushed.has(reference)),
    push: () => Promise.resolve(void pushed.add(reference)),
  });
  const open = (own: Pick<CloudClient, "call"> = client, references: readonly string[] = []): DeployCloud => {
    const images = new Map(references.map((reference) => [reference, imageOf(reference)]));
    return new DeployCloud({ client: own, place, sleep, now, images, waiting: (reason) => waits.push(reason) });
  };
  return { fake, place, client, open, waits, pushed, clock: { now, every: () => () => {} } };
}

/** Creates a project with the secrets of the shop. */
export async function shopProject(options: TestProjectOptions = {}): Promise<TestProject> {
  const project = await testProject(1, options);
  for (const name of ["MAIL_KEY", "CHAT_URL"])
    project.fake.apis.secrets.set(`test-${name}`, "https://chat.example.com/hook");
  return project;
}
