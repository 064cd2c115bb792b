import { secretName } from "../../platform/gcp/names.ts";
import { placeholders } from "../known.ts";
import type { Check } from "./problem.ts";

/** Whether every secret has a value. People make secrets: a deploy neither writes nor shows them. */
export const checkSecrets: Check = async ({ secrets }, cloud) => {
  const { place } = cloud;
  const found = await Promise.all(
    secrets.map(async ({ name, at }) => {
      const id = secretName(place, name);
      const path = `/v1/projects/${place.project}/secrets/${id}/versions/latest`;
      const live = await cloud.find({ api: "secretmanager", method: "GET", path });
      if (live?.["state"] === "ENABLED") return [];
      const exists =
        live !== undefined ||
        (await cloud.find({ api: "secretmanager", method: "GET", path: path.replace("/versions/latest", "") }));
      const verb = exists ? `versions add ${id}` : `create ${id}`;
      const what = exists ? `the secret ${id} has no version that is enabled` : `the secret ${id} does not exist`;
      return [
        {
          what,
          at,
          todo: [`give it its value: printf %s "…" | gcloud secrets ${verb} --project ${place.project} --data-file=-`],
        },
      ];
    }),
  );
  return found.flat();
};

/** The values of the secrets that resources are made of: those of channels. */
export async function readSecrets(names: readonly string[], cloud: Parameters<Check>[1]): Promise<void> {
  for (const name of names) {
    const id = secretName(cloud.place, name);
    const path = `/v1/projects/${cloud.place.project}/secrets/${id}/versions/latest:access`;
    const { payload } = await cloud.call<{ payload?: { data?: string } }>({
      api: "secretmanager",
      method: "GET",
      path,
    });
    cloud.known.set(placeholders.secret(id), Buffer.from(payload?.data ?? "", "base64").toString());
  }
}
