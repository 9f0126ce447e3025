/** Bundles every application of src into the folder named on the command line: one file each, without shared parts. */

import { transformAsync } from "@babel/core";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

const out = resolve(process.argv[2] ?? "../../.uiap/frameworks");
const require = createRequire(import.meta.url);

/** Compile Svelte components with the version whose name they carry: `Todo4.svelte`, `Todo5.svelte`. */
const svelte = {
  name: "svelte",
  setup(builder) {
    builder.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const version = /(\d)\.svelte$/.exec(path)[1];
      const { compile } = await import(`svelte${version}/compiler`);
      const options = version === "4" ? { generate: "dom", css: "injected" } : { generate: "client", css: "injected" };
      const made = compile(readFileSync(path, "utf8"), { filename: basename(path), ...options });
      return { contents: made.js.code, loader: "js" };
    });
    builder.onResolve({ filter: /^svelte(\/|$)/ }, ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData?.mapped) return undefined;
      const version = /(\d)\.svelte$/.exec(importer)?.[1] ?? (/node_modules\/svelte(\d)\//.exec(importer)?.[1] || "5");
      return builder.resolve(path.replace(/^svelte/, `svelte${version}`), { resolveDir, kind, pluginData: { mapped: true } });
    });
  },
};

const solid = {
  name: "solid",
  setup(builder) {
    builder.onLoad({ filter: /solid\.jsx$/ }, async ({ path }) => {
      const made = await transformAsync(readFileSync(path, "utf8"), { filename: path, presets: [require.resolve("babel-preset-solid")], babelrc: false, configFile: false });
      return { contents: made.code, loader: "js" };
    });
  },
};

for (const folder of readdirSync("src")) {
  const entries = readdirSync(join("src", folder)).filter((name) => /\.jsx?$/.test(name) && !name.startsWith("_"));
  await build({
    entryPoints: entries.map((name) => join("src", folder, name)),
    bundle: true,
    outdir: join(out, folder),
    format: "iife",
    jsx: "automatic",
    minify: true,
    logLevel: "error",
    conditions: ["svelte", "browser", "production"],
    mainFields: ["browser", "module", "main"],
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    plugins: [svelte, solid],
  });
  if (!existsSync(join(out, folder))) throw new Error(`nothing was built for ${folder}`);
}
