/** One command of a page, as typed after `kubectl`, and what the page says that it prints, with `…` for what differs. */
export interface ConsoleStep {
  command: string;
  printed: string;
}

/** The commands in the consoles under a page's second-level headings, in order. */
export function consoleSteps(page: string, headings: readonly string[]): ConsoleStep[] {
  const sections = page.split(/^## /m);
  const chosen = headings.map((heading) => sections.find((one) => one.startsWith(`${heading}\n`)) ?? "");
  const consoles = [...chosen.join("").matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, body = ""]) => body);
  return consoles
    .join("")
    .split(/^\$ kubectl /m)
    .slice(1)
    .map(stepOf);
}

function stepOf(text: string): ConsoleStep {
  const [command = "", ...printed] = text.split("\n");
  return { command, printed: printed.join("\n") };
}

/** As a shell splits a line. */
export function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
}
