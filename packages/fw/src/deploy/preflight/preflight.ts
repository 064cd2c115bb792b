import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../deploy-cloud.ts";
import { checkDataChanges } from "./data-changes.ts";
import { checkDomains } from "./domain-mappings.ts";
import { checkIndexCoverage } from "./index-coverage.ts";
import { checkIndexes } from "./indexes.ts";
import type { Check, DeployNeeds, Problem, Deployer } from "./problem.ts";
import {
  checkAccounts,
  checkApis,
  checkBilling,
  checkOrganisation,
  checkRegion,
  checkSecrets,
  checkSocial,
} from "./project-settings.ts";
import { checkResources } from "./resources.ts";
import { checkRights } from "./rights.ts";

const checks: readonly Check[] = [
  checkBilling,
  checkApis,
  checkRights,
  checkRegion,
  checkOrganisation,
  checkResources,
  checkAccounts,
  checkDomains,
  checkSecrets,
  checkSocial,
  checkIndexes,
  checkIndexCoverage,
  checkDataChanges,
];

/**
 * Runs all checks and returns all problems at once. Only reads. A check that lacks access is skipped if there is
 * another problem: it runs in the next deploy, when the account has the missing roles.
 */
export async function preflight(needs: DeployNeeds, cloud: DeployCloud, who: Deployer): Promise<readonly Problem[]> {
  const results = await Promise.allSettled(checks.map((check) => check(needs, cloud, who)));
  const problems = results.flatMap((look) => (look.status === "fulfilled" ? look.value : []));
  const failures = results.flatMap((look) => (look.status === "rejected" ? [look.reason as unknown] : []));
  const hasProblem = problems.some(({ warns }) => warns !== true);
  for (const failure of failures) if (!hasProblem || !isDenied(failure)) throw failure;
  return problems;
}

function isDenied(error: unknown): boolean {
  return error instanceof CloudError && error.status === 403;
}
