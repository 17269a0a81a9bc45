const isAddress = /^\/(?:(?:automations|sessions)(?:\/[a-z0-9.-]{1,127})?|analytics|new|new-secret)?$/;

/** Whether the page is shown at a path, for what the path names. */
export function isPageAddress(pathname: string): boolean {
  return isAddress.test(pathname);
}
