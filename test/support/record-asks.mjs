// Preloaded into `fw dev --services`: writes down what its platform is asked, a line of JSON each, with the grants of who asks.
import { register } from "node:module";

register(new URL("record-asks-hooks.mjs", import.meta.url));
