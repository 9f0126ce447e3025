/** Bundles every page of src into the folder named on the command line: one file each. */

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const out = resolve(process.argv[2] ?? "../../.uiap/strangers");

await build({
  entryPoints: readdirSync("src").map((name) => join("src", name)),
  bundle: true,
  outdir: out,
  format: "iife",
  jsx: "automatic",
  minify: true,
  logLevel: "error",
  conditions: ["browser", "production"],
  loader: { ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
  define: {
    "process.env.NODE_ENV": '"production"',
    __VUE_OPTIONS_API__: "true",
    __VUE_PROD_DEVTOOLS__: "false",
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
  },
});
