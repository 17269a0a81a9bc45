import { RE2JS, RE2JSException } from "re2js";
import { longestChannelMessage, type TextCondition } from "../../api/v1alpha1/index.ts";
import { foldCase } from "../../lib/fold-case.ts";

/** Most instructions that an expression may be compiled to; the rules of the kind keep to it. A search takes at most as many steps for each character. */
export const mostInstructions = 500;

/** Why a text does not meet a condition, as the end of a sentence that begins with "the text"; undefined where it does. */
export function textMismatch(condition: TextCondition, text: string): string | undefined {
  const { operator, value } = condition;
  const shown = `${JSON.stringify(value)}${isInsensitive(condition) ? " in any case" : ""}`;
  if (operator === "RegularExpression") return expressionMismatch(condition, text, shown);
  const [said, wanted] = isInsensitive(condition) ? [foldCase(text), foldCase(value)] : [text, value];
  if (operator === "Exact") return said === wanted ? undefined : `is not ${shown}`;
  return said.includes(wanted) ? undefined : `does not contain ${shown}`;
}

function isInsensitive({ caseSensitivity }: TextCondition): boolean {
  return caseSensitivity === "Insensitive";
}

/** JavaScript's own engine can take longer than anybody waits; RE2's takes time in proportion to the text. */
function expressionMismatch(condition: TextCondition, text: string, shown: string): string | undefined {
  if (isTooLong(text)) {
    return `has over ${longestChannelMessage.toLocaleString("en")} characters, which no regular expression is compared with`;
  }
  const expression = compiled(condition);
  if (typeof expression === "string") return `is not compared with the regular expression ${shown}: ${expression}`;
  return expression.test(text) ? undefined : `does not match the regular expression ${shown}`;
}

function isTooLong(text: string): boolean {
  return text.length > longestChannelMessage && Array.from(text).length > longestChannelMessage;
}

/** The expression, or what is wrong with it: one may be stored under an older rule, or be known to another release of RE2 alone. */
function compiled(condition: TextCondition): RE2JS | string {
  try {
    const flags = isInsensitive(condition) ? RE2JS.CASE_INSENSITIVE : 0;
    const expression = RE2JS.compile(condition.value, flags);
    return expression.programSize() > mostInstructions ? "it is too large" : expression;
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}
