// Leaves odd files in workspace and home before they are saved, and looks at them after they are restored. `given.phase` says
// which. Run by the agent; its last line is the report.
import { execFileSync } from "node:child_process";
import { linkSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import process from "node:process";

const folders = { workspace: "/workspace", home: process.env.HOME };
const targets = { token: "/run/runwright/token/token", shadow: "/etc/shadow", up: "../../../../../etc/passwd" };

function make(folder) {
  mkdirSync(`${folder}/odd`);
  for (const [name, target] of Object.entries(targets)) symlinkSync(target, `${folder}/odd/${name}`);
  writeFileSync(`${folder}/odd/file`, "content");
  linkSync(`${folder}/odd/file`, `${folder}/odd/hard`);
  execFileSync("mkfifo", [`${folder}/odd/fifo`]);
}

function look(folder) {
  const at = (name) => `${folder}/odd/${name}`;
  const areLinks = Object.entries(targets).every(([name, target]) => readlinkSync(at(name)) === target);
  return {
    "symbolic links out of it": areLinks ? "as it was" : "changed",
    "hard links": lstatSync(at("hard")).ino === lstatSync(at("file")).ino ? "as it was" : "changed",
    "a FIFO": lstatSync(at("fifo")).isFIFO() ? "as it was" : "changed",
  };
}

const report = Object.entries(folders).flatMap(([where, folder]) => {
  if (globalThis.given.phase === "make") return (make(folder), []);
  return Object.entries(look(folder)).map(([what, answer]) => [`save and restore ${what}, in the ${where}`, answer]);
});
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(Object.fromEntries(report)) }));
