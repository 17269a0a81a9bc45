import { stringify } from "yaml";

export type Format = "json" | "yaml" | "name";

/** All forms of a command's result. */
export interface Printable {
  text: string;
  json: object;
  /** `kind.group/name` of each object, for `-o name`. */
  names?: readonly string[];
  /** The error with which the command fails after printing the result. */
  failure?: string;
}

/** A result in a format; undefined: text. */
export function printed({ text, json, names = [] }: Printable, format: Format | undefined): string {
  switch (format) {
    case "json":
      return `${JSON.stringify(json, null, 2)}\n`;
    case "yaml":
      return stringify(json);
    case "name":
      return names.map((name) => `${name}\n`).join("");
    case undefined:
      return text === "" ? "" : `${text}\n`;
  }
}
