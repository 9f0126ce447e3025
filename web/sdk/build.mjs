// Bundles the page script and the tracer into the files that the chromium driver loads; `--check` compares instead.
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "../../src/uiap/drivers/chromium/assets");
const bundles = [
  ["src/main.ts", "sdk.js"],
  ["src/tracer/main.ts", "tracer.js"],
];
const check = process.argv.includes("--check");

for (const [entry, name] of bundles) {
  const result = await build({
    entryPoints: [join(here, entry)],
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
  const target = join(assets, name);
  if (!check) {
    mkdirSync(assets, { recursive: true });
    writeFileSync(target, text);
    console.log(`${name} ${text.length} bytes`);
  } else if (committed(target) !== text) {
    console.error(`src/uiap/drivers/chromium/assets/${name} is stale; run \`npm run build\` in web/`);
    process.exit(1);
  }
}

function committed(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
