import { z } from "zod";
import { text, withRules, withTransitionRule } from "./schema.ts";

/** Largest sum of the counts of a regular expression, as of 3 in `[0-9]{1,3}`: each is so many copies of a character. */
const largestCounts = 100;

const Condition = z
  .object({
    operator: z
      .enum(["Contains", "Exact", "RegularExpression"])
      .describe(
        "operator is how text and value are compared: the text Contains the value, is Exact the value, or has a part that the value as a RegularExpression matches.",
      ),
    value: text(200)
      .min(1)
      .describe(
        "value is what the message's text is compared with, 1 to 200 characters. As a regular expression it has RE2's syntax; its counts, such as {1,3}, follow no group and add up to at most 100.",
      ),
    caseSensitivity: z
      .enum(["Sensitive", "Insensitive"])
      .optional()
      .describe(
        "caseSensitivity is whether upper and lower case are different letters (Sensitive) or the same (Insensitive). Left out, they are different.",
      ),
  })
  .describe("TextCondition compares the text of a message.");

type Condition = z.infer<typeof Condition>;

const onlyPlain = "self.operator != 'RegularExpression'";

function ofExpressions(check: (expression: string) => boolean): (condition: Condition) => boolean {
  return ({ operator, value }) => operator !== "RegularExpression" || check(value);
}

/** Sum of the last numbers in braces; `\x{41}` counts, too, as the API server can't tell it from `x{41}`. */
function sumOfCounts(expression: string): number {
  const counts = Array.from(expression.matchAll(/([0-9]{1,9}),?\}/g), ([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

// The two rules bound what an expression is compiled to, without compiling it: at most 500 instructions for 200 characters.
const Bounded = withRules(Condition, [
  {
    message: "must not repeat a group a number of times, as ){3} does: write the group as often, or use *, + or ?",
    cel: `${onlyPlain} || !self.value.matches(r'\\)\\{[0-9]')`,
    fieldPath: ".value",
    check: ofExpressions((expression) => !/\)\{[0-9]/.test(expression)),
  },
  {
    message: `must have counts, such as {1,3}, that add up to at most ${largestCounts}`,
    cel: `${onlyPlain} || self.value.findAll(r'[0-9]{1,9},?\\}').map(count, int(count.replace(',', '').replace('}', ''))).sum() <= ${largestCounts}`,
    fieldPath: ".value",
    check: ofExpressions((expression) => sumOfCounts(expression) <= largestCounts),
  },
]);

/**
 * Compares the text of a message. Whether a value is a regular expression the API server alone judges, as it has RE2: in CEL an
 * expression that can't be compiled is an error, which refuses the object and says what is wrong.
 */
export const TextCondition = withTransitionRule(Bounded, {
  message: "value must be a regular expression in RE2's syntax",
  cel: `${onlyPlain} || ''.matches(self.value) in [true, false]`,
  fieldPath: ".value",
});
export type TextCondition = z.infer<typeof TextCondition>;
