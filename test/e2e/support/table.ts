/** Rows of a table that kubectl printed, each with its cells by the column's name; a cell may be empty, or have blanks in it. */
export function tableRows(printed: string): Record<string, string>[] {
  const [head = "", ...rows] = printed.trimEnd().split("\n");
  const columns = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }, at, all) => ({
    name,
    from: index,
    to: all[at + 1]?.index,
  }));
  return rows.map((row) => Object.fromEntries(columns.map(({ name, from, to }) => [name, row.slice(from, to).trim()])));
}
