import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { DeployCloud } from "../driver.ts";
import { fieldsOf, isFields, textOf, type Fields, type Value } from "../fields.ts";

/** Normalizes the containers of a template, because Cloud Run returns CPU and memory in several formats. */
export function containersOf(template: Fields): Fields {
  const { containers } = template;
  if (!Array.isArray(containers)) return template;
  return {
    ...template,
    containers: (containers as readonly Value[]).map((item) => (isFields(item) ? container(item) : item)),
  };
}

function container(live: Fields): Fields {
  const resources = fieldsOf(live["resources"]);
  const limits = fieldsOf(resources["limits"]);
  const { cpu, memory } = limits;
  return {
    ...live,
    resources: { ...resources, limits: { ...limits, cpu: cpuOf(textOf(cpu)), memory: memoryOf(textOf(memory)) } },
  };
}

function cpuOf(cpu: string): string {
  return cpu.endsWith("m") ? String(Number(cpu.slice(0, -1)) / 1000) : cpu;
}

function memoryOf(memory: string): string {
  const gibibytes = /^(\d+)Gi$/.exec(memory)?.[1];
  return gibibytes === undefined ? memory : `${Number(gibibytes) * 1024}Mi`;
}

/** Returns Cloud Run's message if the resource is in a failed state; otherwise undefined. */
export function failureOf({ terminalCondition }: Fields): string | undefined {
  const { state, message, reason, revisionReason } = fieldsOf(terminalCondition);
  if (state !== "CONDITION_FAILED") return undefined;
  return textOf(message) || textOf(revisionReason) || textOf(reason) || "it failed";
}

/**
 * Returns why a failed revision may still start: a Google service denies access that the deploy has just granted.
 * Undefined for any other failure.
 */
export function grantReason(error: unknown, { fresh }: DeployCloud): string | undefined {
  if (!(error instanceof CloudError)) return undefined;
  const isDenied = /SECRETS_ACCESS_CHECK_FAILED|Permission denied on secret|IMAGE_UNAUTHORIZED/i.test(
    error.serverMessage,
  );
  return isDenied ? fresh.reasonFor(error, { api: "run", method: "GET", path: "" }) : undefined;
}
