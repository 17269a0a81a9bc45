import type { Post } from "../../../api/v1alpha1/index.ts";

/** Where a person reads on. */
export function sessionLink(
  { sessionName = "" }: Pick<Post, "sessionName">,
  page: { url?: string | undefined; namespace: string },
): string {
  return page.url === undefined
    ? `The session: \`kubectl runwright session logs ${sessionName}\``
    : `<${page.url}/sessions/${page.namespace}.${sessionName}|Open the session>`;
}

/** Says how many files are not shown. */
export function leftOutText(count: number, link: string): string {
  const files = count === 1 ? "1 file that the agent attached is" : `${count} files that the agent attached are`;
  return `${files} left out. ${link}`;
}

/** Says that nobody knows whether the files were shown, since Slack's answer was lost. */
export function uncertainText(count: number, link: string): string {
  const files = count === 1 ? "The file" : `The ${count} files`;
  return `${files} of this answer may be missing: Slack did not say whether it took them, and they are not sent twice. ${link}`;
}
