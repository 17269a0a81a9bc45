import { type Document, parseAllDocuments, type ParseOptions, type Tags } from "yaml";

/**
 * Documents of YAML or JSON as kubectl and Helm read them, which is YAML 1.1 without its times: `on`, `Off` and `no` are truth values
 * and `0755` is octal, unless they are quoted. What is wrong with a document is among its `errors`.
 */
export function kubectlDocuments(text: string): Document[] {
  const options: ParseOptions & { logLevel: "silent" } = { logLevel: "silent" };
  const documents = parseAllDocuments(text, { ...options, schema: "yaml-1.1", customTags: withoutTimes });
  return "empty" in documents ? [] : documents;
}

/** `12:30` and `2026-11-28` are texts. */
function withoutTimes(tags: Tags): Tags {
  return tags
    .filter((tag) => typeof tag === "string" || !("format" in tag && tag.format === "TIME"))
    .filter(isNoTimestamp);
}

function isNoTimestamp(tag: Tags[number]): boolean {
  return typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp";
}
