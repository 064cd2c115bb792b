// Preloaded into a process. Removes from the runtime all that it does for a recording.
import { register } from "node:module";

register(new URL("without-recording-hooks.mjs", import.meta.url));
