import { secretName } from "../../platform/gcp/names.ts";
import type { Check } from "./problem.ts";

/** Checks that every secret has a value. Only people set secrets; a deploy neither writes nor shows them. */
export const checkSecrets: Check = async ({ secrets }, cloud) => {
  const { place } = cloud;
  const problems = await Promise.all(
    secrets.map(async ({ name, at }) => {
      const id = secretName(place, name);
      const path = `/v1/projects/${place.project}/secrets/${id}/versions/latest`;
      const live = await cloud.find({ api: "secretmanager", method: "GET", path });
      if (live?.["state"] === "ENABLED") return [];
      const exists =
        live !== undefined ||
        (await cloud.find({ api: "secretmanager", method: "GET", path: path.replace("/versions/latest", "") }));
      const verb = exists ? `versions add ${id}` : `create ${id}`;
      const what = exists ? `the secret ${id} has no enabled version` : `the secret ${id} does not exist`;
      return [
        {
          what,
          at,
          todo: [`set its value: printf %s "…" | gcloud secrets ${verb} --project ${place.project} --data-file=-`],
        },
      ];
    }),
  );
  return problems.flat();
};
