import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { fieldsOf, isFields, textOf, type Fields, type Value } from "./fields.ts";
import { placeholders, secretOf } from "./placeholders.ts";
import type { Resource } from "./resource.ts";

/** Reads the secrets that are placeholders in specs, so that plans can compare their values. */
export async function readSecretValues(
  desired: readonly Resource[],
  cloud: DeployCloud,
  ask: (request: CloudRequest) => Promise<Fields | undefined> = (request) => cloud.find(request),
): Promise<void> {
  await Promise.all(
    unknownSecrets(desired, cloud).map(async (id) => {
      const path = `/v1/projects/${cloud.place.project}/secrets/${id}/versions/latest:access`;
      const live = await ask({ api: "secretmanager", method: "GET", path });
      const data = textOf(fieldsOf(live?.["payload"])["data"]);
      if (live) cloud.values.set(placeholders.secret(id), Buffer.from(data, "base64").toString());
    }),
  );
}

/** Returns the secrets in specs that have not been read. */
export function unknownSecrets(resources: readonly Resource[], cloud: Pick<DeployCloud, "values">): readonly string[] {
  const ids = new Set(resources.flatMap(({ spec }) => secretsIn(spec)));
  return [...ids].filter((id) => !cloud.values.has(placeholders.secret(id)));
}

function secretsIn(value: Value): readonly string[] {
  if (typeof value === "string") {
    const secret = secretOf(value);
    return secret === undefined ? [] : [secret];
  }
  if (Array.isArray(value)) return (value as readonly Value[]).flatMap(secretsIn);
  return isFields(value) ? Object.values(value).flatMap(secretsIn) : [];
}
