// vitest.d.ts
/** The plugin that lets Vitest run an application's tests: `plugins: [fw()]`. `fw test` adds it by itself. */
export interface VitestPlugin {
    readonly name: "fw";
    readonly enforce: "pre";
    config(given: GivenConfig): object;
    configResolved(config: ViteConfig): Promise<void>;
    configureServer(server: ViteServer): void;
    resolveId(id: string): Promise<string | undefined>;
    load(id: string): Promise<string | undefined>;
    transform(code: string, id: string): Promise<{
        readonly code: string;
        readonly map: null;
    } | undefined>;
}
/** As much of what the application's configuration says as is looked at. */
interface GivenConfig {
    readonly test?: {
        readonly testTimeout?: number;
        readonly hookTimeout?: number;
    };
}
interface ViteConfig {
    readonly root: string;
    readonly plugins: readonly {
        readonly name: string;
    }[];
}
interface ViteServer {
    readonly watcher: {
        on(event: "all", listener: (event: string, path: string) => void): unknown;
    };
    readonly environments: Readonly<Record<string, {
        readonly moduleGraph: ModuleGraph;
    }>>;
}
interface ModuleGraph {
    readonly idToModuleMap: ReadonlyMap<string, unknown>;
    invalidateModule(module: never): void;
}
/** Makes the plugin of `vitest.config.ts`. The application is the one around Vite's root. */
export declare function fw(): VitestPlugin;
export {};
