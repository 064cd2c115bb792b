import type { Command } from "../command.ts";
import { check } from "./check.ts";
import { dev } from "./dev.ts";
import { genGraph } from "./gen-graph.ts";

/** Every command, in the order that help lists them. */
export const commands: readonly Command[] = [dev, check, genGraph];
