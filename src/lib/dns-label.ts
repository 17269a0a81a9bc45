/** A DNS label of at most 63 characters, as the source of a regular expression. */
export const dnsLabel = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

const wholeLabel = new RegExp(`^${dnsLabel}$`);

export function isDnsLabel(text: string): boolean {
  return wholeLabel.test(text);
}
