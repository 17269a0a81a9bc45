/** Whether this is Linux, for tests that need `what`, which only Linux has; elsewhere it says that they are left out. */
export function onLinux(what: string): boolean {
  const isLinux = process.platform === "linux";
  if (!isLinux) console.warn(`tests are left out on ${process.platform}: only Linux has ${what}`);
  return isLinux;
}
