/** UTF-16 units of the longest text that GitHub takes: 65,536 characters. Of a longer one no more is searched, as that takes time by its square. */
const longestText = 131_072;

/**
 * Whether a text mentions `@login` or `@login[bot]` as a whole, without regard to case. What is quoted or shown as code is no
 * mention, as GitHub sees it, too.
 */
export function mentions(text: string, login: string): boolean {
  const own = text
    .slice(0, longestText)
    .replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm, "\n")
    .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, " ")
    .replaceAll(/^ {0,3}>[^\n]*$/gm, "");
  const name = login.replaceAll(/[^A-Za-z0-9-]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w@/.-])@${name}(?:\[bot\])?(?![\w-]|\[|/)`, "i").test(own);
}
