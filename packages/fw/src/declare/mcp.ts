import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { EndpointDeclaration } from "./endpoint.ts";
import type { MountConfig, MountDeclaration, MountRules } from "./mount.ts";
import { hosted } from "./slot.ts";

/** Settings of an MCP server, written as a literal. */
export interface MCPConfig extends Omit<MountConfig, "private"> {
  /** APIs of any package, for AI agents to call as tools named after the constants. */
  readonly tools: readonly EndpointDeclaration[];
}

/**
 * Declares an MCP server, which offers APIs to AI agents as tools: `MCP("/mcp", { tools: [listOrders, placeOrder] })`.
 * The constants name the tools, their doc comments describe them, and their types are the schemas. Each call must pass
 * the gate and the policy of its API.
 */
export function MCP<const Path extends string>(path: Path & MountRules<Path>, settings: MCPConfig): MountDeclaration {
  const declaration: MountDeclaration = {
    kind: "mount",
    route: `* ${path}`,
    handler: (ctx, request) => hosted<MCPHost>(ctx).mcp.answer(ctx, declaration, request),
    // `settings` is undefined in built services that do not contain this server.
    config: { ...settings },
  };
  return recordDeclaration(declaration);
}

/** The part of the Host that handles the messages of MCP clients. */
export interface MCPHost {
  readonly mcp: {
    answer(ctx: Context, server: MountDeclaration, request: Request): Promise<Response>;
  };
}
