import type { DeployCloud } from "../driver.ts";
import { checkDomains } from "./domains.ts";
import { checkIndexes } from "./indexes.ts";
import type { Check, Needs, Problem, Who } from "./problem.ts";
import { checkRights } from "./rights.ts";
import { checkSecrets } from "./secrets.ts";
import { checkSocial } from "./social.ts";

const checks: readonly Check[] = [checkRights, checkDomains, checkSecrets, checkSocial, checkIndexes];

/** Everything that stands in the way of a deploy, together. Reads, and writes nothing. */
export async function preflight(needs: Needs, cloud: DeployCloud, who: Who): Promise<readonly Problem[]> {
  return (await Promise.all(checks.map((check) => check(needs, cloud, who)))).flat();
}
