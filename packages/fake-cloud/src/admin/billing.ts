import type { Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { projectResource } from "../iam/resources.ts";

/** Creates the API of the project's billing account. */
export function billing(cloud: Cloud, state: { readonly enabled: boolean }): Api {
  const { id } = cloud.project;
  return {
    host: "cloudbilling.googleapis.com",
    methods: {
      "cloudbilling.projects.getBillingInfo": {
        needs: () => [{ permission: "resourcemanager.projects.get", resource: projectResource(cloud) }],
        run: () => ({
          name: `projects/${id}/billingInfo`,
          projectId: id,
          billingAccountName: state.enabled ? "billingAccounts/012345-567890-ABCDEF" : "",
          billingEnabled: state.enabled,
        }),
      },
    },
  };
}
