import { dnsLabel } from "../../lib/dns-label.ts";
import { suggestion } from "../../lib/suggest.ts";
import { calleesOf } from "../../model/grants.ts";
import { clientServicesOf } from "../../model/services.ts";
import type { Calls, MachineKeys } from "../../platform/machine-keys.ts";
import type { BuiltModel } from "../../topology/built-model.ts";
import { frontName, MachineNetwork, type HostAddress } from "../../topology/machine-network.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import type { BuiltRelease } from "./release.ts";

/** The part of an application that one machine runs. */
export interface NetworkSettings {
  /** The services to run; empty for a front. */
  readonly services: readonly string[];
  /** Returns the address of the machines that run a service; undefined if none is configured. */
  readonly addressOf: (service: string) => HostAddress | undefined;
}

interface NetworkOptions {
  readonly service: readonly string[];
  readonly front: true | undefined;
  readonly serviceAddress: readonly string[];
}

/** Reads the services of this machine from the options; undefined if it runs all of them. */
export function readNetwork(
  { service, front, serviceAddress }: NetworkOptions,
  env: IO["env"],
  hasDatabase: boolean,
): NetworkSettings | undefined {
  if (service.length === 0 && front !== true) {
    if (serviceAddress.length === 0) return undefined;
    throw new Refusal('"--service-address" needs --service or --front: other machines run services only with them');
  }
  const option = front === true ? "--front" : "--service";
  if (front === true && service.length > 0)
    throw new Refusal('"--front" and "--service" are for different machines: a front runs no services');
  if (!hasDatabase) throw new Refusal(`"${option}" needs --database, which all machines of an application share`);
  const texts = serviceAddress.length > 0 ? serviceAddress : (env["FW_SERVICE_ADDRESS"] ?? "").split(/[\s,]+/);
  return { services: service, addressOf: readAddresses(texts.filter((text) => text !== "")) };
}

/** Refuses a build that lacks a service of this machine, or that calls a service without an address. */
export function refuseMissingServices(
  settings: NetworkSettings | undefined,
  { manifest, model }: Pick<BuiltRelease, "manifest" | "model">,
): void {
  if (settings === undefined) return;
  const { services, addressOf } = settings;
  const names = manifest.services.map(({ name }) => name);
  for (const name of services)
    if (!names.includes(name)) throw new Refusal(`the build has no service "${name}"${suggestion(name, names)}`);
  const calls = announcedCalls(model);
  const callers = services.length === 0 ? [frontName] : services;
  for (const callee of callers.flatMap((caller) => calls[caller] ?? []))
    if (!services.includes(callee) && addressOf(callee) === undefined)
      throw new Refusal(
        `nothing says where the service "${callee}" runs: set FW_SERVICE_ADDRESS or --service-address, such as http://{service}:8080`,
      );
}

/** Returns the services that each service of a build calls. A front calls every service that clients use. */
export function announcedCalls({ app, grants }: Pick<BuiltModel, "app" | "grants">): Calls {
  const calls = Object.entries(grants).map(([name, own]) => [name, [...calleesOf(own)]] as const);
  return { ...Object.fromEntries(calls), [frontName]: clientServicesOf(app) };
}

/**
 * Opens the network between the machines; undefined on a machine that runs every service. `refuseMissingServices` has
 * already checked that every address exists.
 */
export function openNetwork(
  settings: NetworkSettings | undefined,
  keys: MachineKeys | undefined,
  warn: (sentence: string) => void,
): MachineNetwork | undefined {
  if (settings === undefined || keys === undefined) return undefined;
  const addressOf = (service: string): HostAddress => {
    const address = settings.addressOf(service);
    if (address === undefined) throw new Error(`no address for the service ${service}`);
    return address;
  };
  return new MachineNetwork({ keys, services: new Set(settings.services), addressOf, warn });
}

function readAddresses(texts: readonly string[]): NetworkSettings["addressOf"] {
  const patterns = new Map(texts.map(readPattern));
  return (service) => {
    const pattern = patterns.get(service) ?? patterns.get("");
    return pattern === undefined ? undefined : hostAddress(pattern.replaceAll("{service}", dnsLabel(service)));
  };
}

/** Parses `orders=http://…` for one service, or `http://{service}…` for all, with "" as the service. */
function readPattern(text: string): readonly [service: string, pattern: string] {
  const [, service = "", pattern = ""] = /^(?:([\w-]+)=)?(.*)$/s.exec(text) ?? [];
  const isComplete = service !== "" || pattern.includes("{service}");
  if (isComplete && hostAddress(pattern.replaceAll("{service}", "service")) !== undefined) return [service, pattern];
  throw new Refusal(
    `"--service-address" must be http://{service}:8080 or orders=http://10.0.0.7:8080, not ${JSON.stringify(text)}`,
  );
}

function hostAddress(url: string): HostAddress | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, href, host } = new URL(url);
  if (protocol !== "http:" || href !== `http://${host}/`) return undefined;
  return { host: hostname.replaceAll(/[[\]]/g, ""), port: port === "" ? 80 : Number(port) };
}
