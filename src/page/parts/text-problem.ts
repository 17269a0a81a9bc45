/** What the API server demands of a text, as far as patterns can say it. */
export interface TextLimits {
  minLength: number;
  maxLength: number;
  rules: readonly TextRule[];
}

type TextRule = { message: string } & ({ pattern: string } | { not: string });

/** Why the API server would refuse a text; undefined where it takes it. It counts characters, not UTF-16 code units. */
export function textProblem({ minLength, maxLength, rules }: TextLimits, text: string): string | undefined {
  const length = Array.from(text).length;
  if (length < minLength) return length === 0 ? "must not be empty" : `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters, and has ${length}`;
  return rules.find((rule) => !isKept(rule, text))?.message;
}

/** As {@link textProblem}, of what may be left out. */
export function optionalProblem(limits: TextLimits, text: string): string | undefined {
  return text === "" ? undefined : textProblem(limits, text);
}

function isKept(rule: TextRule, text: string): boolean {
  return "not" in rule ? text !== rule.not : new RegExp(rule.pattern, "u").test(text);
}
