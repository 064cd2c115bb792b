import { afterAll, beforeAll, expect, test } from "vitest";
import { startFakeCloud, type FakeCloud } from "../../../../fake-cloud/src/index.ts";
import { writeApp } from "../../analysis/testing/app.ts";
import { connectCloud } from "../../platform/gcp/cloud.ts";
import { databaseName, deadHoldName, stateBucketName } from "../../platform/gcp/names.ts";
import { openGcp } from "../../platform/gcp/open.ts";
import type { CloudRequest } from "../../platform/gcp/rest/client.ts";
import { messageNames } from "../../platform/message-names.ts";
import type { Fields } from "../../platform/values.ts";
import { fwIn, type Ran } from "../testing/run.ts";

const source = `-- package.json --
{ "name": "shop", "type": "module" }
-- people/people.ts --
import { API, Auth, Cron, Entity, Job, Queue, Role, Runner, Worker, type ID } from "fw";
export const auth = Auth({ password: true });
export const Editor = Role("editor");
export const hello = API("GET /", (): { ok: boolean } => ({ ok: true }));
export const mails = Queue<{ to: string; copies: number }>("mails");
export const notes = Entity<{ id: ID; text: string; lang: string }>("notes", { upgrade: { lang: "en" } });
export const all = API("GET /notes", async (ctx): Promise<number> => (await notes.query().all(ctx)).length);
export const bring = Worker(mails, () => {});
export const sweep = Cron("sweep", "0 4 * * *", () => {});
export const rebuild = Job("rebuild");
export const rebuilding = Runner(rebuild, () => {});
`;

let fake: FakeCloud;
let app: Awaited<ReturnType<typeof writeApp>>;
const account = (name: string): string => `${name}@demo-fw.iam.gserviceaccount.com`;
const as = async (name: string, ...argv: readonly string[]): Promise<Ran> =>
  fwIn(await fake.envOf(account(name)), [], app.root, ...argv);

beforeAll(async () => {
  fake = await startFakeCloud();
  app = await writeApp(source);
  fake.grant(`serviceAccount:${account("nobody")}`, "roles/browser");
  fake.grant(`serviceAccount:${account("owner")}`, "roles/owner");
});

afterAll(async () => {
  await fake.stop();
  await app[Symbol.asyncDispose]();
});

test.each([
  [["users", "list", "--env", "prod"], `"--env" needs --project <id>; fw never guesses a project`],
  [["dead", "list", "--region", "europe-west1"], `"--region" needs --project <id>; fw never guesses a project`],
  [
    ["users", "list", "--project", "demo-fw", "--data", "data"],
    "use either --data (a directory on this machine) or --project (a deployed application)",
  ],
  [
    ["logs", "--project", "Demo/fw"],
    `--project must be the id of a Google Cloud project, such as acme-1, not "Demo/fw"`,
  ],
  [
    ["logs", "--project", "demo-fw", "--env", "Prod"],
    `--env must be at most 20 lowercase letters, digits and hyphens, starting with a letter, not "Prod"`,
  ],
  [
    ["run", "cron", "sweep", "--project", "demo-fw", "--region", "europe"],
    `--region must be a Google Cloud region, such as europe-west1, not "europe"`,
  ],
])("what does not say where is refused: %j", async (argv, sentence) => {
  // A project in an environment variable does not count.
  const env = { ...(await fake.envOf(account("owner"))), GOOGLE_CLOUD_PROJECT: "demo-fw" };
  expect(await fwIn(env, [], app.root, ...argv)).toEqual({ code: 2, out: "", err: `fw: ${sentence}\n` });
});

const where = ["--project", "demo-fw", "--env", "prod", "--region", "europe-west1"];

test("a project that is not there is refused, and so is a place that the project does not know", async () => {
  const elsewhere = await as("owner", "logs", "--project", "other-1", "--env", "prod", "--region", "europe-west1");
  expect(elsewhere).toMatchObject({ code: 2, out: "" });
  expect(elsewhere.err).toMatch(
    /^fw: the project other-1 does not exist or your account has no access to it \(.*\): check its id and your access at https:/,
  );
  const nowhere = await as("owner", "logs", "--project", "demo-fw");
  expect(nowhere.err).toBe(
    "fw: fw deploy has no record of shop in demo-fw: pass --env and --region of the deployment\n",
  );
});

test("what is not said is what deploys have written down, where that leaves no choice", async () => {
  const bucket = stateBucketName({ project: "demo-fw" });
  const call = (path: string, body: object): Promise<Response> =>
    fetch(`${fake.url}/storage.googleapis.com${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${fake.token(account("owner"))}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const deployed = async (env: string, region: string): Promise<void> => {
    const id = `projects/demo-fw/locations/${region}/services/shop-${env}-people`;
    const inventory = { version: 1, resources: [{ kind: "service", id }], previous: {} };
    const name = encodeURIComponent(`shop/${env}/inventory.json`);
    expect((await call(`/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${name}`, inventory)).status).toBe(200);
  };
  expect((await call("/storage/v1/b?project=demo-fw", { name: bucket, location: "europe-west1" })).status).toBe(200);
  await deployed("prod", "europe-west1");
  expect((await as("owner", "logs", "--project", "demo-fw")).out).toBe("no log entries in the last 15m\n");
  await deployed("staging", "us-central1");
  expect((await as("owner", "logs", "--project", "demo-fw")).err).toBe(
    'fw: shop has several deployments in demo-fw; choose one: "--env prod --region europe-west1" or "--env staging --region us-central1"\n',
  );
  expect((await as("owner", "logs", "--project", "demo-fw", "--env", "staging")).code).toBe(0);
});

test.each([
  [["users", "list"], "datastore.user"],
  [["users", "show", "ada@example.com"], "firebaseauth.admin"],
  [["logs"], "logging.viewer"],
  [["run", "cron", "sweep"], "cloudscheduler.jobRunner"],
  [["run", "job", "rebuild"], "run.jobsExecutorWithOverrides"],
  [["dead", "list"], "pubsub.editor"],
])("fw %j says which role it lacks", async (argv, role) => {
  const ran = await as("nobody", ...argv, ...where);
  expect(ran).toMatchObject({ code: 2, out: "" });
  expect(ran.err).toMatch(/^fw: (?:GET|POST) \w+\/v\d.*: 403 PERMISSION_DENIED: /);
  expect(ran.err).toContain(
    `You need the role roles/${role} or a broader one; ask an owner of the project to grant it.\n`,
  );
});

test("fw check-data compares the documents and waiting messages of a deployed application with their types", async () => {
  const place = {
    app: "shop",
    env: "prod",
    project: "demo-fw",
    projectNumber: fake.project.number,
    region: "europe-west1",
  };
  const cloud = connectCloud(await fake.envOf(account("owner")));
  const call = (request: CloudRequest): Promise<unknown> => cloud.client.call(request);
  const database = databaseName(place);
  const options = { type: "DATASTORE_MODE", locationId: place.region };
  const path = "/v1/projects/demo-fw/databases";
  await call({ api: "firestore", method: "POST", path, query: { databaseId: database }, body: options });
  const at = { ...place, service: "", database };
  const platform = await openGcp(at, { kinds: [{ kind: "notes", properties: [], composites: [] }] }, cloud);
  const put = (id: string, fields: Fields): Promise<unknown> => platform.entities.upsert({ kind: "notes", id }, fields);
  await put("a", { text: "x", lang: "de" });
  await put("b", { text: "x" });
  await put("c", { text: 7, lang: "de" });
  const topic = "projects/demo-fw/topics/held";
  await call({ api: "pubsub", method: "PUT", path: `/v1/${topic}`, body: {} });
  const hold = `/v1/projects/demo-fw/subscriptions/${deadHoldName(place, "people-bring")}`;
  await call({ api: "pubsub", method: "PUT", path: hold, body: { topic } });
  const publish = (id: string, body: string, attributes: object = {}): Promise<unknown> => {
    const data = Buffer.from(body).toString("base64");
    const messages = [{ data, attributes: { [messageNames.id]: id, ...attributes } }];
    return call({ api: "pubsub", method: "POST", path: `/v1/${topic}:publish`, body: { messages } });
  };
  await publish("dead", `{"to":"ann"}`);
  await publish("fits", `{"to":"ann","copies":1}`, { [messageNames.waits]: "1" });
  await publish("old", `{"to":"ann"}`, { [messageNames.waits]: "1" });
  await platform.close();
  const ran = await as("owner", "check-data", ...where);
  expect(ran).toEqual({
    code: 1,
    err: "",
    out: [
      'the document "c" of "notes" has a text that is another number and not string',
      "the message old: it does not fit the type of queue:mails: body copies: is required",
      'documents of "notes" that need an upgrade or rename rule: 1',
      "3 documents, 2 problems",
      "",
    ].join("\n"),
  });
});

test("without credentials it says how to get some", async () => {
  const ran = await fwIn({ ...fake.env, HOME: app.root }, [], app.root, "users", "list", ...where);
  expect(ran).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("gcloud auth application-default login"),
  });
});
