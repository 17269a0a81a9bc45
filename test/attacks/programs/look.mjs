// Looks what the sandbox began with. Run by the agent; its last line is the report.
import { readdirSync } from "node:fs";
import process from "node:process";

const names = ["/workspace", process.env.HOME, "/tmp"].flatMap((folder) => readdirSync(folder, { recursive: true }));
const attacks = names.filter((name) => /attack/.test(name));
const isRestored = process.env.RESTORED_FROM_SNAPSHOT === "true";
console.log(JSON.stringify({ type: "result", summary: JSON.stringify({ attacks, isRestored }) }));
