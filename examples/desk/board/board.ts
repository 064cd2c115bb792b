import { Site } from "fw";

/** The wall board, a single-page application that uses the typed client. */
export const boardSite = Site("./dist", { build: { command: "fw gen client ts && vite build", out: "./dist" } });
