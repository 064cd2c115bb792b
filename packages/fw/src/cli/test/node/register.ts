import { register } from "node:module";
import { wiringVariable } from "./wiring-variable.ts";

// Installs the hooks that load an application's modules for its tests; passed to Node with --import.
register("./hooks.js", import.meta.url, { data: { wiring: process.env[wiringVariable] } });
