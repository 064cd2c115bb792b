import { keepServers } from "../../packages/fw/src/analysis/checker/kept-servers.ts";

// A start of TypeScript takes longer than most tests of the analysis.
keepServers();
