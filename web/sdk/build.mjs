// Bundles src/main.ts into the one file the chromium driver loads; `--check` compares instead of writing.
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../../src/uiap/drivers/chromium/assets/sdk.js");
const result = await build({
  entryPoints: [join(here, "src/main.ts")],
  absWorkingDir: here,
  bundle: true,
  write: false,
  format: "iife",
  target: "chrome120",
  charset: "ascii", // the text travels inside a CDP string: no byte may depend on an encoding
  minify: true, // it is sent and compiled before every first graph: a quarter less of it is a millisecond or two
  legalComments: "none",
});
const text = `// Generated from web/sdk by \`npm run build\`; do not edit.\n${result.outputFiles[0].text}`;

if (process.argv.includes("--check")) {
  let committed = "";
  try {
    committed = readFileSync(target, "utf8");
  } catch {
    committed = "";
  }
  if (committed !== text) {
    console.error("src/uiap/drivers/chromium/assets/sdk.js is stale; run `npm run build` in web/");
    process.exit(1);
  }
} else {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  console.log(`sdk.js ${text.length} bytes`);
}
