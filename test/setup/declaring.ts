import { beginDeclaring } from "../../packages/fw/src/declare/declaration-records.ts";

// Test files that share a process declare as if each were an application of its own.
beginDeclaring();
