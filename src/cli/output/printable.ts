import { Document, Scalar, visit } from "yaml";

import { plainText, visibleText } from "../../api/runtime/text.ts";

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

/** A result in a format; undefined: text. What a terminal would obey or hide is left out of text and escaped elsewhere. */
export function printed({ text, json, names = [] }: Printable, format: Format | undefined): string {
  switch (format) {
    case "json":
      return `${visibleText(JSON.stringify(json, null, 2))}\n`;
    case "yaml":
      return asYaml(json);
    case "name":
      return names.map((name) => `${name}\n`).join("");
    case undefined:
      return text === "" ? "" : `${plainText(text, text.length)}\n`;
  }
}

/** Of all styles double quotes alone allow escapes; and kubectl reads no block that begins with a tab. */
function needsQuotes(value: string): boolean {
  return visibleText(value) !== value || /^\s/.test(value);
}

/** Read again, by kubectl's YAML 1.1 too, it is the same: words such as `yes` are quoted, and no line is folded. */
export function asYaml(json: object): string {
  const document = new Document(json, { compat: "yaml-1.1" });
  visit(document, {
    Scalar(_, scalar) {
      const { value } = scalar;
      if (typeof value === "string" && needsQuotes(value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return visibleText(document.toString({ lineWidth: 0 }));
}
