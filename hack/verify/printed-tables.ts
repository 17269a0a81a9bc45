/** Commands of a page, and what the page says that they print. */
export interface Shown {
  /** Each on one line. */
  commands: string[];
  output: string;
}

/** A column that the API server prints; those above 0 with `-o wide` alone. */
export interface PrintedColumn {
  name: string;
  priority: number;
}

/** Columns after the name by each word for a kind: plural, singular, short. */
export type ColumnsOfKinds = ReadonlyMap<string, readonly PrintedColumn[]>;

const fences = /^```(?<language>\w*)\n(?<body>[\s\S]*?)^```$/gm;

/** What a page in Markdown shows: commands behind `$` with what follows them, and blocks of commands with the output below. */
export function shownIn(page: string): Shown[] {
  const shown: Shown[] = [];
  let pasted: string[] = [];
  for (const { groups = {} } of page.matchAll(fences)) {
    const { language, body = "" } = groups;
    const text = body.replaceAll(/ *\\\n */g, " ");
    if (language === "sh") pasted = text.split("\n").map((line) => line.trim());
    else if (text.startsWith("$ ")) shown.push(...text.split(/^\$ /m).slice(1).map(typed));
    else if (language === "text") shown.push({ commands: pasted, output: text });
  }
  return shown;
}

function typed(text: string): Shown {
  const [command = "", ...output] = text.split("\n");
  return { commands: [command], output: output.join("\n") };
}

/** Headings of an output that none of its commands `kubectl get` prints, in their order. */
export function wrongHeadings({ commands, output }: Shown, kinds: ColumnsOfKinds): string[] {
  // The plugin's tables have headings of their own.
  if (commands.some((command) => command.includes("kubectl runwright"))) return [];
  const wanted = commands.flatMap((command) => headingsOf(command, kinds));
  let from = 0;
  return output.split("\n").filter((line) => {
    if (!/^(NAMESPACE {2,})?NAME {2,}[A-Z]/.test(line)) return false;
    const at = wanted.findIndex((heading, index) => index >= from && isHeading(line, heading));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

/** `…` at the end stands for further columns. */
function isHeading(line: string, wanted: readonly string[]): boolean {
  const found = line.trim().split(/ {2,}/);
  if (found.at(-1) !== "…") return found.join("|") === wanted.join("|");
  return found.slice(0, -1).every((name, index) => name === wanted[index]);
}

/** The headings that a command prints, one for each kind that it gets. */
function headingsOf(command: string, kinds: ColumnsOfKinds): string[][] {
  const [, flags = ""] = /\bkubectl\b(.*)/.exec(command.split("|")[0] ?? "") ?? [];
  const [, resources = ""] = / get ([^ ]+)/.exec(flags) ?? [];
  const [, output = "none"] = /(?: -o|--output)[ =]?([a-z]+)/.exec(flags) ?? [];
  if (output !== "none" && output !== "wide") return [];
  const isEverywhere = / (-A|--all-namespaces)\b/.test(flags);
  return resources.split(",").flatMap((resource) => {
    const columns = kinds.get(resource.split("/")[0]?.split(".")[0] ?? "");
    if (columns === undefined) return [];
    const printed = columns.filter(({ priority }) => priority === 0 || output === "wide");
    return [[...(isEverywhere ? ["NAMESPACE"] : []), "NAME", ...printed.map(({ name }) => name.toUpperCase())]];
  });
}
