// vitest.d.ts
/** The Vite plugin that lets Vitest run an application's tests: `plugins: [fw()]`. `fw test` adds it automatically. */
export interface VitestPlugin {
    readonly name: "fw";
    readonly enforce: "pre";
    config(userConfig: UserConfig): object;
    configResolved(config: ViteConfig): Promise<void>;
    configureServer(server: ViteServer): void;
    resolveId(id: string): Promise<string | undefined>;
    load(id: string): Promise<string | undefined>;
    transform(code: string, id: string): Promise<{
        readonly code: string;
        readonly map: null;
    } | undefined>;
}
/** The settings that the plugin reads from the application's configuration. */
interface UserConfig {
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
/** Creates the plugin for `vitest.config.ts`. It tests the application that contains Vite's root. */
export declare function fw(): VitestPlugin;
export {};
