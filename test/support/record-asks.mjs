// Preloaded into `fw dev --services`: writes down the grants of its services and what covers each thing that they ask, a line of JSON each.
import { register } from "node:module";

register(new URL("record-asks-hooks.mjs", import.meta.url));
