import type { Deployer, DeployNeeds } from "../preflight/problem.ts";

export const deployer: Deployer = { who: "deployer@demo-fw.iam.gserviceaccount.com", adopt: false };

/** The requirements of an application that requires nothing. */
export const noNeeds: DeployNeeds = {
  secrets: [],
  social: false,
  indexes: [],
  keepsDocuments: false,
  changesSince: () => [],
  entities: [],
  domains: [],
  isPublic: false,
  resources: () => [],
};
