// Build the page's script: `npm run build`. With --check nothing is written; it fails if what is there is not the same.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, "../src/paucal/report/static");
const modules = join(here, "node_modules");

// Whatever d3-dag brings along is inside its own bundle.
function shipped(name, found = new Map()) {
  if (found.has(name)) return found;
  const about = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf-8"));
  found.set(name, about);
  Object.keys(about.dependencies || {}).forEach((other) => shipped(other, found));
  return found;
}

function licenceOf(name) {
  const file = readdirSync(join(modules, name)).find((one) => /^licen[cs]e/i.test(one));
  return file ? readFileSync(join(modules, name, file), "utf-8").replaceAll("\r\n", "\n").trim() : "(no text of its own)";
}

const libraries = [...shipped("d3-dag").values()].sort((a, b) => (a.name < b.name ? -1 : 1));
const named = libraries.map((one) => `${one.name} ${one.version} (${one.license})`).join(", ");
const banner = `/* paucal (MIT), with ${named}; licences: THIRD-PARTY.txt beside this file. Built from web/. */`;
const made = await build({
  entryPoints: [join(here, "src/main.js")],
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  banner: { js: banner },
  write: false,
});
const rule = "-".repeat(100);
const texts = libraries.map((one) => `${rule}\n${one.name} ${one.version}, ${one.license}\n\n${licenceOf(one.name)}\n`);
const head = "The script of the report page (report.js) contains these libraries.\n\n";
const files = { "report.js": made.outputFiles[0].text, "THIRD-PARTY.txt": head + texts.join("\n") };

let stale = 0;
for (const [name, text] of Object.entries(files)) {
  const path = join(output, name);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf-8") !== text) {
    console.error(`${name} is not what the build gives: run \`make web\` and commit it.`);
    stale += 1;
  }
}
process.exitCode = stale ? 1 : 0;
