/** Descriptions of MCP servers and their tools, without their types. */
export interface McpFacts {
  /** The application's version in package.json. */
  readonly version?: string;
  /** Doc comments of servers and of their tools, by `declarationKey`. */
  readonly docs: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, ToolHints>>;
}

/** Hints that help clients decide whether to ask the user before a call: `ToolAnnotations` of MCP. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  /** True if the tool may change or delete existing data; absent for tools that only read. */
  readonly destructiveHint?: boolean;
  /** True if a repeated call has no further effect; absent for tools that only read. */
  readonly idempotentHint?: boolean;
}
