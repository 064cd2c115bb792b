import { defineConfig } from "vite";

export default defineConfig({ root: "src", base: "/board/", build: { outDir: "../dist/board", emptyOutDir: true } });
