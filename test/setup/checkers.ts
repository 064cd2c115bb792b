import { keepServers } from "../../packages/fw/src/analysis/checker/kept-servers.ts";

// Shares TypeScript servers, because starting one takes longer than most tests of the analysis.
keepServers();
