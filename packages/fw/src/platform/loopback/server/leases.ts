import type { Fence, Lease } from "../../contract.ts";
import type { Ask } from "../../grants.ts";
import type { Args } from "./args.ts";
import { operation } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const leases: Readonly<Record<string, Operation>> = {
  "leases/acquire": operation(
    (args) => ({ name: args.text("name"), milliseconds: args.finite("milliseconds") }),
    ({ name }) => [held(name)],
    async ({ name, milliseconds }, { platform }) => taken(await platform.leases.acquire(name, milliseconds)),
  ),
  "leases/renew": operation(
    (args) => ({ ...fenceOf(args), milliseconds: args.finite("milliseconds") }),
    ({ name }) => [held(name)],
    async ({ milliseconds, ...fence }, { platform }) => taken(await platform.leases.renew(fence, milliseconds)),
  ),
  "leases/release": operation(
    fenceOf,
    ({ name }) => [held(name)],
    (fence, { platform }) => platform.leases.release(fence),
  ),
};

export function fenceOf(args: Args): Fence {
  return { name: args.text("name"), token: args.finite("token") };
}

function held(name: string): Ask {
  return { kind: "lease", name: name.split(" ", 1)[0] ?? "", asks: "hold" };
}

function taken(lease: Lease | undefined): unknown {
  return lease && { name: lease.name, token: lease.token, expires: lease.expires };
}
