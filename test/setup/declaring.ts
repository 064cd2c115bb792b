import { beginDeclaring } from "../../packages/fw/src/declare/declaration-records.ts";

// Test files share a process, but each declares its own application.
beginDeclaring();
