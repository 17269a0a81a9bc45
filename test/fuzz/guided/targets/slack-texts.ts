import { SlackTrigger, type TextCondition } from "../../../../src/api/v1alpha1/index.ts";
import { messageMismatch } from "../../../../src/domain/integrations/slack-wanted.ts";
import { bounded } from "../../property.ts";
import { must, type Target } from "../target.ts";

const seed = (text: string, ...texts: Partial<TextCondition>[]): string => JSON.stringify({ text, texts });

/** A message and the conditions of a trigger, as JSON. */
export const slackTexts: Target = {
  name: "slack-texts",
  seeds: [
    seed("Deploy of API failed", { operator: "Contains", value: "deploy", caseSensitivity: "Insensitive" }),
    seed("Deploy of API failed", { operator: "Exact", value: "Deploy of API failed", caseSensitivity: "Sensitive" }),
    seed("a.*[b]$", { operator: "Contains", value: ".*" }, { operator: "Contains", value: "[B]$" }),
    seed("ΑΣΑ straße", { operator: "Contains", value: "ΑΣ", caseSensitivity: "Insensitive" }),
    seed("Deploy 12 failed", {
      operator: "RegularExpression",
      value: "^deploy \\d{1,2} fail(ed|s)$",
      caseSensitivity: "Insensitive",
    }),
    seed(`${"a".repeat(99)}b`, { operator: "RegularExpression", value: "(a+)+$" }),
    seed("a(b", { operator: "RegularExpression", value: "a(b" }),
    seed("\u{10400}İK", { operator: "Exact", value: "\u{10428}İk", caseSensitivity: "Insensitive" }),
  ],
  take(input) {
    const { text, texts } = conditionsIn(input) ?? {};
    const { data: trigger } = SlackTrigger.safeParse({ integrationRef: { name: "chat" }, channels: ["C0OPS"], texts });
    if (typeof text !== "string" || !trigger) return;
    const message = { channelID: "C0OPS", actor: { id: "U0ANN" }, text };
    const mismatch = bounded(() => messageMismatch(message, trigger));
    const wanted = trigger.texts.map((condition) => isMet(condition, text));
    if (wanted.every((met) => met === true)) must(mismatch === undefined, "a text that meets all conditions matches");
    if (wanted.includes(false)) must(mismatch !== undefined, "a text that meets one of them not does not match");
    must(mismatch === undefined || mismatch.length < 2_000, "why it does not is said in a sentence");
  },
};

function conditionsIn(input: Buffer): { text?: unknown; texts?: unknown } | undefined {
  try {
    const document = JSON.parse(input.toString("utf8")) as unknown;
    return typeof document === "object" && document !== null ? document : undefined;
  } catch {
    return undefined;
  }
}

/** The same by other means; undefined where those only know of some letters whether they are the same, and for regular expressions. */
function isMet({ operator, value, caseSensitivity }: TextCondition, text: string): boolean | undefined {
  if (operator === "RegularExpression") return undefined;
  if (caseSensitivity !== "Insensitive") return operator === "Exact" ? text === value : text.split(value).length > 1;
  const characters = Array.from(value, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join("");
  const isFound = new RegExp(operator === "Exact" ? `^${characters}$` : characters, "iu").test(text);
  const isAscii = /^[ -~]*$/.test(text + value);
  return isFound || isAscii ? isFound : undefined;
}
