import { expect, it } from "vitest";

import { kubectlDocuments } from "../cli/arguments/kubectl-yaml.ts";
import { yamlDocuments } from "./yaml.ts";

const read = (text: string): unknown[] => kubectlDocuments(text).map((document) => document.toJS() as unknown);

it("is to kubectl what it was", () => {
  const object = { words: ["On", "off", "yes", "N", "~", "0755", "1_000", "12:30", "Enabled"], is: true, count: 3 };
  expect(read(yamlDocuments([object, object]))).toEqual([object, object]);
});
