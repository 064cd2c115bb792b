// Preloaded into `fw dev --services`. Records the services' grants, and the grants that cover each access, as lines of
// JSON.
import { register } from "node:module";

register(new URL("record-asks-hooks.mjs", import.meta.url));
