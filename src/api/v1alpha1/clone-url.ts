/** Whether a Repository's URL is for SSH: `ssh://USER@HOST/PATH` or `USER@HOST:PATH`. */
export function isSshUrl(url: string): boolean {
  return !url.startsWith("https://");
}

/** The path of a Repository's URL in any of its forms. */
export function pathOfUrl(url: string): string {
  return url.includes("://") ? new URL(url).pathname : url.slice(url.indexOf(":") + 1);
}
