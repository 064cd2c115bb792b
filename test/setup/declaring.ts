import { beginDeclaring } from "../../packages/fw/src/declare/declaration-records.ts";

// Each test file that shares a process declares its own application.
beginDeclaring();
