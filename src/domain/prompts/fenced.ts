/** A Markdown code block that its content cannot close: the fence is longer than any run of back-ticks inside. */
export function fenced(text: string, language = ""): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = runs.reduce((length, run) => Math.max(length, run.length), 0);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}
