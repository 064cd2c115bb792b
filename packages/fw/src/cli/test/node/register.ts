import { register } from "node:module";
import { wiringVariable } from "./wiring-variable.ts";

// Lets this process load an application's modules as its tests need them; given to Node with --import.
register("./hooks.js", import.meta.url, { data: { wiring: process.env[wiringVariable] } });
