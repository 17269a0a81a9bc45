import { parseArgs } from "node:util";

import { type AttackName, attackNames } from "./attack-names.ts";

/** How long and which attacks are measured. */
export interface TenantsOptions {
  /** Of each measurement. */
  seconds: number;
  rounds: number;
  attacks: readonly AttackName[];
  /** One JSON document on standard output and nothing else. */
  json: boolean;
  /** A folder for CPU profiles of our processes. */
  profile?: string | undefined;
}

/** Reads the arguments; throws an error that names the argument and what it must be. */
export function parseOptions(args: readonly string[]): TenantsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", default: "text" },
      seconds: { type: "string", default: "15" },
      rounds: { type: "string", default: "3" },
      attack: { type: "string", multiple: true, default: [] },
      profile: { type: "string" },
    },
  });
  const { output, seconds, rounds, attack, profile } = values;
  if (output !== "json" && output !== "text") {
    throw new Error(`--output is ${JSON.stringify(output)}, but it must be json or text`);
  }
  return {
    seconds: positive("seconds", seconds),
    rounds: positive("rounds", rounds),
    attacks: attack.length === 0 ? attackNames : attack.map(attackNamed),
    json: output === "json",
    profile,
  };
}

function attackNamed(text: string): AttackName {
  const name = attackNames.find((known) => known === text);
  if (name !== undefined) return name;
  throw new Error(`--attack is ${JSON.stringify(text)}, but it must be one of ${attackNames.join(", ")}`);
}

function positive(name: string, text: string): number {
  if (/^[1-9][0-9]*$/.test(text)) return Number(text);
  throw new Error(`--${name} is ${JSON.stringify(text)}, but it must be a whole number of at least 1`);
}
