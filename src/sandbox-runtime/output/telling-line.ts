/** Last lines of programs that crash or were run by another one: they tell nothing of what went wrong. */
const noise =
  /^(?:at \S.*[):]\S*|\.\.\. \d+ (?:more|common frames omitted)|Node\.js v\d+(?:\.\d+)*|Bun v\d+(?:\.\d+)* \(.*\)|[\])}]+[,;]?|code: '[^']*',?|npm (?:ERR!|error)(?: A complete log of this run .*| .*-debug-\d+\.log)?|note: run with `RUST_BACKTRACE=.*|goroutine \d+ \[.*\]:|\S+\.go:\d+ \+0x[0-9a-f]+|[\w/*()]+\.[\w.*()]+\(.*\)|exit status \d+)$/;
/** How such a program begins to say what went wrong. */
const cause =
  /^(?:Caused by: |Uncaught |Unhandled |panic: |Exception in thread |error: |(?:[\w$]+\.)*\w*(?:Error|Exception)\b)/i;

/** The last line; where that tells nothing of what went wrong, the last one that says it. Undefined where there are no lines. */
export function tellingLine(lines: readonly string[]): string | undefined {
  const last = lines.at(-1);
  if (last === undefined || !noise.test(last)) return last;
  return lines.findLast((line) => cause.test(line)) ?? lines.findLast((line) => !noise.test(line)) ?? last;
}
