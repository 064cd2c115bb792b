// One cold analysis in a process of its own: node analyze.mjs <root>.
const { openAnalyzer } = await import(new URL("../../packages/fw/dist/analysis/index.js", import.meta.url).href);
const analyzer = openAnalyzer(process.argv[2]);
const { app, diagnostics } = await analyzer.analyze();
const routes = app.packages.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
console.log(JSON.stringify({ routes, diagnostics: diagnostics.length }));
await analyzer.close();
