// Runs one cold analysis in its own process: node analyze.mjs <root>.
const fw = (path) => new URL(`../../packages/fw/dist/${path}`, import.meta.url).href;
const { openChecker } = await import(fw("analysis/checker/checker.js"));
const checker = openChecker(process.argv[2]);
checker.start();
const { openAnalyzer } = await import(fw("analysis/index.js"));
const analyzer = openAnalyzer(process.argv[2], { checker });
const { app, diagnostics } = await analyzer.analyze();
const routes = app.packages.flatMap(({ declarations }) => declarations).filter((each) => "route" in each).length;
console.log(JSON.stringify({ routes, diagnostics: diagnostics.length }));
await analyzer.close();
