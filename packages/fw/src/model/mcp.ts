/** Descriptions of MCP servers and their tools, besides types. */
export interface McpFacts {
  /** The version of the application, as package.json has it. */
  readonly version?: string;
  /** Doc comments of servers and of their tools, by `declarationKey`. */
  readonly docs: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, ToolHints>>;
}

/** Hints for clients, by which they decide whether to ask a person before a call: `ToolAnnotations` of MCP. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  /** True if the tool may change or delete what exists; absent for tools that only read. */
  readonly destructiveHint?: boolean;
  /** True if a repeated call has no further effect; absent for tools that only read. */
  readonly idempotentHint?: boolean;
}
