import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { build, type Plugin } from "esbuild";

import type { PageFile } from "../../src/page-server/page-files.ts";

const root = join(import.meta.dirname, "..", "..");
const source = join(root, "src", "page");

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Builds the page: its document, and scripts and styles whose names have a digest of their content. */
export async function buildPage(): Promise<PageFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/page/main.tsx", "src/page/style.css"],
    outdir: "/assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  });
  const assets = outputFiles.map(({ path, contents }): PageFile => {
    const name = basename(path);
    return { path: `/assets/${name}`, type: types[name.slice(name.lastIndexOf("."))] ?? "", content: contents };
  });
  return [await documentOf(assets), await icon(), ...assets];
}

async function documentOf(assets: readonly PageFile[]): Promise<PageFile> {
  const text = await readFile(join(source, "index.html"), "utf8");
  const named = (begin: string, end: string): string =>
    assets.find(({ path }) => path.startsWith(`/assets/${begin}-`) && path.endsWith(end))?.path ?? "";
  const linked = text.replace("STYLE", named("style", ".css")).replace("SCRIPT", named("main", ".js"));
  return { path: "/", type: "text/html; charset=utf-8", content: Buffer.from(linked) };
}

async function icon(): Promise<PageFile> {
  return { path: "/icon.svg", type: "image/svg+xml", content: await readFile(join(source, "icon.svg")) };
}

/** Puts the built page into a program, in the place of the module that has none. */
export function withPage(files: readonly PageFile[]): Plugin {
  const rows = files.map(({ path, type, content }) => ({ path, type, text: Buffer.from(content).toString("utf8") }));
  const contents = [
    `const rows = ${JSON.stringify(rows)};`,
    "const files = rows.map(({ path, type, text }) => ({ path, type, content: Buffer.from(text) }));",
    "export function pageFiles() { return files; }",
  ].join("\n");
  return {
    name: "page",
    setup(builder) {
      builder.onLoad({ filter: /[/\\]src[/\\]page-server[/\\]page-files\.ts$/ }, () => ({ contents, loader: "js" }));
    },
  };
}
