import { pageAccountName } from "./tenant-objects.ts";

/** Port of this machine at which the demo has its page served. */
const pagePort = 8090;

/** How the page of a namespace is opened with `kubectl runwright`, as the account that `accountOfPage` makes. */
export function pageArguments(namespace: string, port = pagePort): string[] {
  const account = `${namespace}/${pageAccountName}`;
  return ["ui", "-n", namespace, "--service-account", account, "--local-port", String(port)];
}

/** Path of an Automation with its Runs; `automation` is `<namespace>.<name>`. */
export function pathOfAutomation(automation: string): string {
  return `/automations/${automation}`;
}

/** Where the demo's page shows an Automation. */
export function pageUrl(automation: string): string {
  return `http://127.0.0.1:${pagePort}${pathOfAutomation(automation)}`;
}
